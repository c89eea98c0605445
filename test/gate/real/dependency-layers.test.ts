import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFiles } from '../../adapters/git/git-world.ts'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

/** A step that records each run in a file that survives cleaning up. */
const install = 'echo ran && mkdir -p deps && cp lock deps/installed'
const check = 'cat deps/installed'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({ lock: 'one\n', 'a.txt': 'a\n' })
})
afterAll(() => world.close())

/** Makes a commit that no branch of the mirror has, like a change. */
async function commitWith(files: Readonly<Record<string, string>>): Promise<string> {
  writeFiles(world.repository, files)
  const sha = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  return sha
}

/** All layers that the tests in this file have made. */
const layers = () => {
  const folder = join(world.artifacts, 'cache/layers')
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]+$/.test(name)) : []
}
const prepareLog = (runId: string) => {
  const file = join(world.folder(runId), 'logs/prepare.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

describe('a dependency layer', () => {
  test('is made once for its inputs, and read-only where the steps run', async () => {
    const asked = { prepare: [{ command: install }], steps: [{ command: `${check}; touch deps/new` }] }
    const first = await world.ask(asked)
    const second = await world.ask(asked)
    expect([first.status, first.tail_log]).toEqual(['FAIL', expect.stringContaining('ran\none\n')])
    expect(first.tail_log).toContain('Read-only file system')
    expect(second.tail_log).not.toContain('ran')
    expect([prepareLog(first.run_id), prepareLog(second.run_id)]).toEqual(['ran\n', null])
    expect(layers()).toHaveLength(1)
    expect(second.manifest?.dependencies).toEqual([{ layer: layers()[0], outputs: ['deps'] }])
  })

  test('tells tools of a cache there, in which no step finds what another has written', async () => {
    const asked = {
      prepare: [{ command: 'mkdir node_modules', outputs: ['node_modules'] }],
      steps: [
        { name: 'lint', command: 'cd "$CACHE_DIR" && pwd && mkdir lint && echo passed > lint/result' },
        { name: 'again', command: 'ls -A node_modules/.cache | wc -l' },
      ],
    }
    const twice = [await world.ask(asked), await world.ask(asked)]
    expect(twice.map((answer) => answer.tail_log)).toEqual([0, 1].map(() => '/repo/node_modules/.cache\n0'))
  })
})

describe('a prepare step that fails', () => {
  test('on the base is an INFRA_ERROR with its log', async () => {
    const before = layers()
    const asked = { prepare: [{ command: 'echo no such package; exit 3' }], steps: [{ command: check }] }
    const answer = await world.ask({ ...asked, commit: await commitWith({ lock: 'two\n' }) })
    expect(answer).toMatchObject({ status: 'INFRA_ERROR', error_type: 'prepare_failed' })
    const log = /Its log: (.*)\n/.exec(answer.error_message ?? '')?.[1] ?? ''
    expect(readFileSync(log, 'utf8')).toMatch(
      /^no such package\n\n\[drydock\] install: exit code 3\n\[drydock\] It had no network: .*\n$/,
    )
    expect(answer.error_message).toContain('no such package')
    expect(layers()).toEqual(before)
  })

  test('by making none of its outputs is told which one', async () => {
    const answer = await world.ask({ prepare: [{ command: 'ln -s /etc deps' }], steps: [{ command: check }] })
    expect(answer.error_message).toContain('it did not make the folder deps, which its outputs name')
  })
})

describe('writes: overlay', () => {
  test('lets the steps write as into a copy, and keeps what they wrote with the run', async () => {
    const asked = {
      writes: 'overlay' as const,
      prepare: [{ command: `${install} && true` }],
      steps: [
        { command: 'echo new > a.txt; rm lock; echo x > deps/x' },
        { name: 'then', command: 'cat a.txt deps/*; ls' },
      ],
    }
    const answer = await world.ask(asked)
    expect(answer).toMatchObject({ status: 'PASS', tail_log: 'ran\nnew\none\nx\na.txt\ndeps' })
    const overlay = join(world.folder(answer.run_id), 'build/overlay')
    expect(readdirSync(overlay, { recursive: true }).sort()).toEqual(['a.txt', 'deps', 'deps/x', 'lock'])
    expect((await world.ask({ ...asked, steps: [{ command: 'cat a.txt lock; ls deps' }] })).tail_log).toBe(
      'a\none\ninstalled',
    )
  })

  test('lets later steps read the files of one step, each in a fresh folder', async () => {
    const write = 'echo changed > a.txt; echo made > out.txt'
    const answer = await world.ask({
      prepare: [{ command: 'mkdir node_modules; echo i > node_modules/i', outputs: ['node_modules'] }],
      steps: [
        { name: 'before', command: `cat a.txt; ls; if (${write}) 2>&1; then exit 1; fi` },
        { name: 'build', writes: 'overlay', command: `${write}; rm lock` },
        {
          name: 'after',
          command: `cat a.txt out.txt node_modules/i; ls; echo x > "$CACHE_DIR/x" && rm -r out.txt; echo no >> a.txt; cat a.txt`,
        },
        { name: 'again', writes: 'overlay', command: 'ls -A node_modules/.cache; echo more > more.txt; cat out.txt' },
      ],
    })
    const denied = expect.stringMatching(/^a\na.txt\nlock\nnode_modules\n.*Read-only file system/)
    expect(answer).toMatchObject({ status: 'PASS', tail_log: denied })
    const after = answer.tail_log?.split('\n').filter((line) => !line.includes('Read-only file system'))
    const seen = ['changed', 'made', 'i', 'a.txt', 'node_modules', 'out.txt', 'changed', 'made']
    expect(after?.slice(-seen.length)).toEqual(seen)
    expect(answer.manifest?.limits).toMatchObject({
      writes: 'overlay',
      step_writes: ['deny', 'overlay', 'deny', 'overlay'],
    })
    const overlay = join(world.folder(answer.run_id), 'build/overlay')
    expect(readdirSync(overlay).sort()).toEqual(['a.txt', 'lock', 'more.txt', 'out.txt'])
  })

  test('shows the upper layer nowhere else', async () => {
    const asked = {
      writes: 'overlay' as const,
      steps: [{ command: 'echo x > a.txt; find / -xdev -name overlay 2>/dev/null; ls -A "$ARTIFACT_DIR/.."' }],
    }
    expect((await world.ask(asked)).tail_log).not.toMatch(/overlay/)
  })
})

describe('the caches of tools', () => {
  const fill =
    'mkdir -p "$XDG_CACHE_HOME/t"; cat "$XDG_CACHE_HOME"/t/* 2>/dev/null; echo from-$NAME > "$XDG_CACHE_HOME/t/$NAME"'

  test('are kept by a passing run on the base, seen by others, and written by none of them', async () => {
    const step = (name: string) => ({ steps: [{ command: fill.replaceAll('$NAME', name) }] })
    const change = await commitWith({ 'a.txt': 'b\n' })
    expect((await world.ask({ ...step('change'), commit: change })).tail_log).toBe('')
    expect((await world.ask(step('base'))).tail_log).toBe('')
    expect((await world.ask({ ...step('change'), commit: change })).tail_log).toBe('from-base')
    expect((await world.ask(step('again'))).tail_log).toBe('from-base')
    expect((await world.ask({ ...step('change'), commit: change })).tail_log).toBe('from-again\nfrom-base')
  })
})

describe('verification.package', () => {
  test('is where the steps run', async () => {
    const commit = await commitWith({ 'packages/one/x': 'here\n' })
    expect((await world.ask({ package: 'packages/one', commit, steps: [{ command: 'pwd; cat x' }] })).tail_log).toBe(
      '/repo/packages/one\nhere',
    )
  })
})
