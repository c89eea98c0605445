import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierWorld } from '../verifier-world.ts'

/** A prepare step that prints `ran` each time that it runs. */
const install = 'echo ran && mkdir -p deps && cp lock deps/installed'
const check = 'cat deps/installed'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld({ lock: 'one\n', 'a.txt': 'a\n' })
})
afterAll(() => world.close())

const prepareLog = (runId: string) => {
  const file = join(world.folder(runId), 'logs/prepare.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

describe('a dependency layer', () => {
  test('is made once when two verifications need it at the same moment', async () => {
    const asked = { prepare: [{ command: `${install}; true` }], steps: [{ command: check }] }
    const answers = await Promise.all([
      world.ask({ ...asked, checkout: 'coder-001' }),
      world.ask({ ...asked, checkout: 'coder-002' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['PASS', 'PASS'])
    expect(new Set(answers.map(({ run_id }) => prepareLog(run_id)))).toEqual(new Set(['ran\n', null]))
  })

  test('is made over the layers of the steps before, at the same path as they are seen later', async () => {
    const asked = {
      prepare: [
        { command: 'mkdir -p one/bin; pwd > one/bin/where', outputs: ['one/bin'] },
        { name: 'second', command: 'mkdir two; cat one/bin/where - > two/all < lock', outputs: ['two'] },
      ],
      steps: [{ command: 'cat two/all; pwd' }],
    }
    expect((await world.ask(asked)).tail_log).toBe('/repo\none\n/repo')
  })

  test('leaves checkout and workspace as git has them', async () => {
    const asked = {
      prepare: [{ command: `${install}; echo changed > a.txt; rm lock` }],
      steps: [{ command: 'cat a.txt lock' }],
    }
    expect((await world.ask(asked)).tail_log).toBe('ran\na\none')
    expect(await world.snapshot()).toMatchObject({ snapshot: { tree: await world.history.tree(world.tip) } })
  })

  test('has room for what vitest and its like write into node_modules', async () => {
    const command = 'mkdir -p node_modules/.cache; echo kept > node_modules/.cache/kept'
    const asked = {
      prepare: [{ command, outputs: ['node_modules'] }],
      steps: [
        { name: 'first', command: 'cd "$CACHE_DIR" && echo new > new && ! echo other > kept && cat kept' },
        { command: 'ls -A node_modules/.cache; echo x > node_modules/.vite-temp/x && touch node_modules/y' },
      ],
    }
    const answer = await world.ask(asked)
    expect(answer.tail_log).toContain('kept\n')
    expect(answer.tail_log).toContain('node_modules/y')
    expect(answer.tail_log).not.toContain('.vite-temp')
    expect(answer.tail_log).not.toContain('new')
  })
})

describe('writes: overlay', () => {
  test('is recommended when a tool fails at the read-only repository, with the settings of known tools', async () => {
    const command = 'echo "Error: EROFS: node_modules/.vite-temp/vitest.config.ts.mjs"; exit 1'
    expect((await world.ask(command)).tail_log).toContain(
      '[drydock] A step cannot write into the repository. Let it write to $ARTIFACT_DIR/build (vitest: --configLoader runner), or set "writes" of the step to "overlay" in a test.',
    )
    expect((await world.ask({ writes: 'overlay', steps: [{ command }] })).tail_log).not.toContain('[drydock]')
  })
})
