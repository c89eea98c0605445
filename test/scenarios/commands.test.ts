import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { call, greenLanes, plan, resultOf, runHere, write } from './world/fixture.ts'
import { launch } from './world/process.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await createFixture()
})
afterEach(() => fixture.remove())

const report = {
  build: {
    detected_system: 'make',
    commands: { install: null, build: 'make', clean: null },
    prerequisites: [],
    notes: '',
  },
  test: {
    ...{ detected_framework: 'grep', commands: { all: 'make test', unit: null, integration: null } },
    ...{ coverage_command: null, notes: 'greps' },
  },
  failure_analysis: null,
  environment_issues: [],
}

const look = call('list_files', { pattern: '*' })

describe('verify', () => {
  test('of a working tree that fails ends with 3, with the log, and leaves the tree alone', async () => {
    await fixture.write({ 'extra.txt': 'mine\n' })
    const done = await fixture.drydock('verify')
    expect(done.exitCode).toBe(3)
    expect(done.stdout).toMatch(/^FAIL run_\d{8}_\d{6}_\w{6}$/m)
    expect(await fixture.git('status', '--porcelain')).toBe('?? extra.txt')
    const json = await fixture.drydock('verify', '--json')
    expect(json.exitCode).toBe(3)
    expect((await fixture.drydock('status')).stdout).toMatch(/ FAIL .* verify the working tree$/m)
    expect(resultOf(json)).toMatchObject({ kind: 'verify', answer: { status: 'FAIL' }, stories: [], branch: null })
  })

  test('of what is uncommitted passes with 0, and of the commit before it fails', async () => {
    await fixture.write({ 'value.txt': 'new\n' })
    const done = await fixture.drydock('verify')
    expect(done.exitCode, done.stderr).toBe(0)
    const [, id = ''] = /^PASS (run_\w+)$/m.exec(done.stdout) ?? []
    expect((await fixture.drydock('log', id)).exitCode).toBe(0)
    expect((await fixture.drydock('verify', 'HEAD')).exitCode).toBe(3)
    expect(await fixture.git('status', '--porcelain')).toBe('M value.txt')
  })

  test('prints the log of a verification by its run_id, and says so when there is none', async () => {
    const steps = [{ name: 'test', command: 'echo one line of it; false' }]
    await fixture.write({ '.drydock/config.json': JSON.stringify({ verification: { steps } }) })
    await fixture.git('commit', '-qam', 'says more')
    const done = await fixture.drydock('verify')
    const [, id = ''] = /^FAIL (run_\w+)$/m.exec(done.stdout) ?? []
    expect(done.stdout).toContain('one line of it')
    expect((await fixture.drydock('log', id)).stdout).toContain('one line of it')
    const none = await fixture.drydock('log', 'run_20260101_000000_abcdef')
    expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no log of the verification') })
  })
})

describe('scout', () => {
  test('prints its report', async () => {
    const model = await fixture.replay({ 'scout/build/task/1.1': [look, call('submit_report', report)] })
    const done = await fixture.drydock('scout', 'build', 'How is it tested?', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    for (const { stdout } of [done, await fixture.drydock('report')]) {
      for (const part of ['make', 'make test', 'greps']) expect(stdout).toContain(part)
      expect(stdout).not.toContain('detected_system')
    }
    expect((await fixture.drydock('status')).stdout).toMatch(/ DONE .* scout build: How is it tested\?$/m)
  })

  test('that never reports is INFRA_ERROR with exit code 4', async () => {
    const lanes = Object.fromEntries([1, 2, 3].map((n) => [`scout/codebase/task/1.${n}`, Array(5).fill(look)]))
    const done = await fixture.drydock('scout', 'codebase', 'Where?', '--json', '--model', await fixture.replay(lanes))
    expect(done.exitCode).toBe(4)
    expect(resultOf(done)).toMatchObject({ status: 'INFRA_ERROR', answer: { error_type: 'scout_failed' } })
  })
})

describe('a stuck task', () => {
  const stuckLanes = { 'editor/task/PLANNING': Array(5).fill(look) }
  const retryLanes = Object.fromEntries(
    Object.entries(greenLanes).map(([lane, turns]) => [lane.replace('/task/', '/task@2/'), turns]),
  )

  async function getStuck(): Promise<string> {
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(stuckLanes))
    expect(done.exitCode, done.stderr).toBe(3)
    return resultOf(done).run as string
  }

  test('ends with 3, its report, and how to go on; retry with guidance brings it to its end', async () => {
    const run = await getStuck()
    const watched = await fixture.drydock('watch')
    expect(watched.exitCode).toBe(3)
    expect(watched.stdout).toContain(`drydock retry ${run} --guidance`)
    expect((await fixture.drydock('report')).stdout.length).toBeGreaterThan(100)
    const model = await fixture.replay(retryLanes)
    const done = await fixture.drydock('retry', '--guidance', 'Write it into value.txt', '--json', '--model', model)
    expect(done.exitCode, done.stderr).toBe(0)
    expect(done.events[0]).toMatchObject({ type: 'run', run })
    expect(resultOf(done)).toMatchObject({ status: 'DONE', run, branch: 'drydock/say-new' })
  })

  test('is given up by `cancel`, and can be retried all the same', async () => {
    await getStuck()
    const done = await fixture.drydock('cancel', '--json')
    expect(resultOf(done)).toMatchObject({ status: 'CANCELLED', stories: [{ state: 'CANCELLED' }] })
    expect(done.exitCode).toBe(5)
    const again = await fixture.drydock('cancel')
    expect(again.stderr).toContain('has already ended: CANCELLED')
    const retryModel = await fixture.replay(retryLanes)
    expect(await fixture.drydock('retry')).toMatchObject({
      ...{
        exitCode: 2,
        stderr: expect.stringMatching(/cannot be retried unnamed: it is CANCELLED.*\n.*drydock retry/),
      },
    })
    const run = String(resultOf(done).run)
    const retried = await fixture.drydock('retry', run, '--json', '--model', retryModel)
    expect(resultOf(retried)).toMatchObject({ status: 'DONE' })
  })
})

describe('a task that is done', () => {
  test('cannot be retried, and says what to do instead', async () => {
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    const done = await fixture.drydock('retry')
    expect(done).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/cannot be retried: it is DONE.*\n.*drydock task/),
    })
  })

  test('is what status, log, diff and report are about, by run, by story, or as the latest', async () => {
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(greenLanes))
    const run = resultOf(done).run as string
    await fixture.drydock('verify')
    for (const id of [run, `${run}/task`]) {
      expect((await fixture.drydock('diff', id)).stdout).toContain('-old\n+new')
      expect((await fixture.drydock('log', id, '--json')).events).toMatchObject(done.events)
      expect((await fixture.drydock('report', id, '--json')).events).toMatchObject([
        { type: 'report', run, state: 'DONE', verifications: [{ status: 'PASS' }] },
      ])
      expect((await fixture.drydock('status', id, '--json')).events).toMatchObject([
        { type: 'status', run, state: 'DONE', story: 'DONE', branch: 'drydock/say-new' },
      ])
    }
    // The verification that came later has no change.
    expect((await fixture.drydock('diff')).stdout).toContain('-old\n+new')
    expect((await fixture.drydock('status', '--json')).events.map((event) => event.kind)).toEqual(['task', 'verify'])
  })

  test('has a diff that git can apply', async () => {
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    const { stdout } = await fixture.drydock('diff')
    const patch = join(fixture.folder, 'the.patch')
    await writeFile(patch, stdout)
    await fixture.git('apply', patch)
    expect(await readFile(join(fixture.repo, 'value.txt'), 'utf8')).toBe('new\n')
  })

  test('stands in columns that line up', async () => {
    const model = await fixture.replay(greenLanes)
    for (const text of ['a', 'say new to everyone who asks']) await fixture.drydock('task', text, '--model', model)
    const [table = '', size] = (await fixture.drydock('status')).stdout.trimEnd().split('\n\n')
    expect(size).toMatch(/^State: [\d.]+ [KM]iB in /)
    const lines = table.split('\n')
    expect(lines).toHaveLength(3)
    const at = lines[0]?.indexOf('STATE') ?? 0
    for (const line of lines.slice(1)) expect(line.slice(at - 2, at + 5)).toBe('  DONE ')
    const ends = lines.map((line) => /^\S+ +\S+ +\S+/.exec(line)?.[0].length)
    expect(new Set(ends).size).toBe(1)
  })
})

describe('a task works', () => {
  async function done(env: Fixture['env'], repo: string, ...args: string[]) {
    const model = await fixture.replay(greenLanes)
    const ended = await runHere(['task', 'say new', '--json', '--model', model, '--repo', repo, ...args], env)
    expect(ended.exitCode, ended.stderr).toBe(0)
    return resultOf(ended)
  }

  test('in folders with spaces and letters beyond ASCII, and prints paths that a shell takes', async () => {
    const repo = join(fixture.folder, 'mein Gerät – 作業', "it's")
    await mkdir(join(repo, '..'))
    await rename(fixture.repo, repo)
    const env = { ...fixture.env, DRYDOCK_HOME: join(fixture.folder, 'état de la chose') }
    expect(await done(env, repo)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
    await writeFile(join(repo, 'Makefile'), 'test:\n\ttrue\n')
    await promisify(execFile)('git', ['-C', repo, 'rm', '-q', '--cached', '.drydock/config.json'])
    await rename(join(repo, '.drydock'), join(repo, 'old'))
    const line = (await runHere(['init', '--repo', repo], env)).stdout.trimEnd().split('\n').at(-1) ?? ''
    await promisify(execFile)('sh', ['-c', line], { cwd: '/', env })
  })

  test('with a detached HEAD, and leaves it detached', async () => {
    await fixture.git('checkout', '-q', '--detach')
    const head = await fixture.git('rev-parse', 'HEAD')
    expect(await done(fixture.env, fixture.repo)).toMatchObject({ status: 'DONE', base: head })
    expect(await fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD')
    expect(await fixture.git('rev-parse', 'HEAD')).toBe(head)
  })

  test('beside a dirty tree, which it neither uses nor touches', async () => {
    await fixture.write({ 'value.txt': 'dirty\n', 'untracked.txt': 'mine\n', 'staged.txt': 'mine\n' })
    await fixture.git('add', 'staged.txt')
    const before = await fixture.git('status', '--porcelain')
    const result = await done(fixture.env, fixture.repo)
    expect(await fixture.git('status', '--porcelain')).toBe(before)
    expect(await readFile(join(fixture.repo, 'value.txt'), 'utf8')).toBe('dirty\n')
    expect(await fixture.git('show', '--name-only', '--format=', result.branch as string)).toBe('value.txt')
  })

  test('from a folder inside the repository, and from a branch that is not checked out', async () => {
    await fixture.git('checkout', '-q', '-b', 'other')
    await fixture.write({ 'only/on/other.txt': 'x\n' })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'other')
    const main = await fixture.git('rev-parse', 'main')
    expect(await done(fixture.env, join(fixture.repo, 'only', 'on'), '--target', 'main')).toMatchObject({ base: main })
  })

  test('with a configuration of the user’s own file instead of the committed one', async () => {
    const file = join(fixture.folder, 'mine.json')
    const steps = [{ name: 'mine', command: 'grep -q new value.txt' }]
    await writeFile(file, JSON.stringify({ verification: { steps } }))
    await done(fixture.env, fixture.repo, '--config', file)
    const { stdout } = await fixture.drydock('log', '--json')
    expect(stdout).toContain('"status":"PASS"')
    expect((await fixture.drydock('report')).stdout).toContain('grep -q new value.txt')
  })

  test('with a DRYDOCK_HOME that is relative to where it is started', async () => {
    const model = await fixture.replay(greenLanes)
    const env = { ...fixture.env, DRYDOCK_HOME: 'my state' }
    const cwd = fixture.folder
    const args = ['task', 'say new', '--json', '--model', model, '--repo', fixture.repo]
    const ended = await launch(args, { env, cwd }).ended
    expect(ended.exitCode, ended.stderr).toBe(0)
    expect((await readdir(join(cwd, 'my state'))).toSorted()).toEqual([
      'receipt-key.pem',
      expect.stringMatching(/^repo-[0-9a-f]{12}$/),
    ])
  })
})

test('what a model writes cannot steer the terminal that shows it', async () => {
  const evil = 'Say new\u001b]0;owned\u0007\u001b[2J\u202e'
  const lanes = {
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [write('new \u001b[31m\n'), call('submit_change', { summary: evil })],
  }
  const script = join(fixture.folder, 'typescript')
  const model = await fixture.replay(lanes)
  const bin = new URL('../../bin/drydock', import.meta.url).pathname
  const command = `'${bin}' task 'say new' --model ${model} --repo ${fixture.repo} && '${bin}' diff --repo ${fixture.repo}`
  const { PATH = '' } = fixture.env
  await promisify(execFile)('script', ['-qec', command, script], {
    env: { ...fixture.env, PATH, TERM: 'xterm', NO_COLOR: '1' },
  })
  const shown = await readFile(script, 'utf8')
  expect(shown).toContain('Say new')
  expect(shown).toContain('+new')
  const steering = shown.replaceAll('\u001b[2K', '')
  expect(['\u001b', '\u0007', '\u202e'].filter((character) => steering.includes(character))).toEqual([])
})
