import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { call, greenLanes, resultOf } from './world/fixture.ts'

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
    detected_framework: 'grep',
    commands: { all: 'make test', unit: null, integration: null },
    coverage_command: null,
    notes: 'greps',
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
    expect(done.stderr).toContain('Only the steps ran. What the gate tries of a change beside them: drydock ci --base')
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

  test('ends with 3, its report, and how to continue; retry with guidance completes it', async () => {
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

  test('is what commands without an id mean, whatever was verified or asked since', async () => {
    const run = await getStuck()
    expect((await fixture.drydock('verify')).exitCode).toBe(3)
    const scout = await fixture.replay({ 'scout/build/task/1.1': [call('submit_report', report)] })
    expect((await fixture.drydock('scout', 'build', 'How?', '--model', scout)).exitCode).toBe(0)
    const about = async (...command: string[]) => (await fixture.drydock(...command, '--json')).events[0]?.run
    for (const command of ['log', 'watch', 'budget', 'diff'])
      expect([command, await about(command)]).toEqual([command, run])
    const done = await fixture.drydock('retry', '--json', '--model', await fixture.replay(retryLanes))
    expect(resultOf(done)).toMatchObject({ status: 'DONE', run })
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
      exitCode: 2,
      stderr: expect.stringMatching(/, was cancelled\. .*\n.*Retry it: drydock retry say-new-\w+$/m),
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
    // The later verification has no change.
    expect((await fixture.drydock('diff')).stdout).toContain('-old\n+new')
    expect((await fixture.drydock('status', '--json')).events.map((event) => event.kind)).toEqual(['task', 'verify'])
  })

  test('stands in columns that line up', async () => {
    const model = await fixture.replay(greenLanes)
    for (const text of ['a', 'say new to everyone who asks']) await fixture.drydock('task', text, '--model', model)
    const [table = '', size] = (await fixture.drydock('status')).stdout.trimEnd().split('\n\n')
    expect(size).toMatch(/^State: [\d.]+ (?:[KM]i)?B in /)
    const lines = table.split('\n')
    expect(lines).toHaveLength(3)
    const at = lines[0]?.indexOf('STATE') ?? 0
    for (const line of lines.slice(1)) expect(line.slice(at - 2, at + 5)).toBe('  DONE ')
    const ends = lines.map((line) => /^\S+ +\S+ +\S+/.exec(line)?.[0].length)
    expect(new Set(ends).size).toBe(1)
  })
})

describe('a task works', () => {
  async function done(...args: string[]) {
    const model = await fixture.replay(greenLanes)
    const ended = await fixture.drydock('task', 'say new', '--json', '--model', model, ...args)
    expect(ended.exitCode, ended.stderr).toBe(0)
    return resultOf(ended)
  }

  test('with a detached HEAD, and leaves it detached', async () => {
    await fixture.git('checkout', '-q', '--detach')
    const head = await fixture.git('rev-parse', 'HEAD')
    expect(await done()).toMatchObject({ status: 'DONE', base: head })
    expect(await fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD')
    expect(await fixture.git('rev-parse', 'HEAD')).toBe(head)
  })

  test('beside a dirty tree, which it neither uses nor touches', async () => {
    await fixture.write({ 'value.txt': 'dirty\n', 'untracked.txt': 'mine\n', 'staged.txt': 'mine\n' })
    await fixture.git('add', 'staged.txt')
    const before = await fixture.git('status', '--porcelain')
    const result = await done()
    expect(await fixture.git('status', '--porcelain')).toBe(before)
    expect(await fixture.file('value.txt')).toBe('dirty\n')
    expect(await fixture.git('show', '--name-only', '--format=', result.branch as string)).toBe('value.txt')
  })

  test('from a branch that is not checked out', async () => {
    await fixture.git('checkout', '-q', '-b', 'other')
    await fixture.write({ 'other.txt': 'x\n' })
    await fixture.git('add', '-A')
    await fixture.git('commit', '-qm', 'other')
    expect(await done('--target', 'main')).toMatchObject({ base: await fixture.git('rev-parse', 'main') })
  })

  test('with a configuration of the user’s own file instead of the committed one', async () => {
    const file = join(fixture.folder, 'mine.json')
    const steps = [{ name: 'mine', command: 'grep -q new value.txt' }]
    await writeFile(file, JSON.stringify({ verification: { steps } }))
    await done('--config', file)
    const { stdout } = await fixture.drydock('log', '--json')
    expect(stdout).toContain('"status":"PASS"')
    expect((await fixture.drydock('report')).stdout).toContain('grep -q new value.txt')
  })
})
