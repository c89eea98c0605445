import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import { createFixture, type Fixture, type WorldOptions } from '../world/fixture.ts'
import { memoryNode } from '../world/node.ts'
import { type CommandResult, call, change, greenLanes, passWhenNew, plan, resultOf, write } from './world/fixture.ts'

let fixture: Fixture
const given = async (options?: WorldOptions) => {
  fixture = await createFixture({ programs: { node: memoryNode, 'UPDATE_SNAPSHOTS=1': () => 0 }, ...options })
}
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse
const verdicts = (result: CommandResult) =>
  result.events.filter(({ type }) => type === 'verification').map(({ status }) => status)

describe('a step that rewrites what it should check', () => {
  const manifest = (test: string) => ({ 'package.json': JSON.stringify({ scripts: { test } }) })

  test.each([
    ['in its command', 'UPDATE_SNAPSHOTS=1 cat value.txt', {}, 'UPDATE_SNAPSHOTS=1. '],
    ['in the script that it runs', 'npm test', manifest('jest -u'), '-u, in the script "test" of package.json. '],
  ])('is refused before a run is made: %s', async (_where, command, files, said) => {
    await given({ files, steps: [{ ...passWhenNew, command }] })
    const { exitCode, stderr } = await fixture.drydock('verify')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`the step ${passWhenNew.name} rewrites the files it should check: ${said}`)
    expect(stderr).toContain('"allow_updating": ["')
  })

  test('is run where the configuration allows the flag by name', async () => {
    await given()
    const verification = {
      steps: [{ name: 'test', command: 'UPDATE_SNAPSHOTS=1 cat value.txt' }],
      allow_updating: ['UPDATE_SNAPSHOTS=1'],
    }
    await fixture.write({ '.drydock/config.json': JSON.stringify({ verification }) })
    await fixture.git('commit', '-qam', 'allow it')
    expect((await fixture.drydock('verify')).exitCode).toBe(0)
  })
})

describe('drydock verify', () => {
  test('of a commit verifies that commit, whatever the working tree says, and prints verdict and run id', async () => {
    await given()
    await fixture.write({ 'value.txt': 'new\n' })
    const clean = await fixture.drydock('verify', 'HEAD')
    expect(clean.exitCode).toBe(3)
    expect(clean.stdout).toMatch(/^FAIL run_\d{8}_\d{6}_[0-9a-z]{6}$/m)
    await fixture.git('branch', 'other')
    await fixture.git('checkout', '-q', 'other')
    await fixture.write({ 'value.txt': 'new\n' })
    await fixture.git('commit', '-qam', 'new')
    await fixture.git('checkout', '-q', 'main')
    const other = await fixture.drydock('verify', 'other', '--json')
    expect(other.exitCode).toBe(0)
    expect(answerOf(other).manifest).toMatchObject({
      commit_sha: await fixture.git('rev-parse', 'other'),
      tree_sha: await fixture.git('rev-parse', 'other^{tree}'),
      base_sha: await fixture.git('rev-parse', 'main'),
    })
  })

  test('takes its commands from the base commit, never from what is verified', async () => {
    await given()
    const lax = JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true' }] } })
    await fixture.write({ '.drydock/config.json': lax })
    const tree = await fixture.drydock('verify', '--json')
    expect(answerOf(tree).manifest?.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 1 }])
    await fixture.git('branch', 'lax')
    await fixture.git('checkout', '-q', 'lax')
    await fixture.write({ '.drydock/config.json': lax })
    await fixture.git('commit', '-qam', 'lax')
    await fixture.git('checkout', '-q', 'main')
    const commit = await fixture.drydock('verify', 'lax', '--json')
    expect(answerOf(commit).manifest?.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 1 }])
  })
})

describe('a task', () => {
  test('whose editor turns the commands into `true` fails all the same', async () => {
    await given()
    const lax = JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true' }] } })
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        call('write_file', { path: '.drydock/config.json', content: lax }),
        change('Make it easy'),
        write('new\n'),
        change(),
      ],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
    const [story] = resultOf(done).stories as { run_id: string }[]
    const chunks: Uint8Array[] = []
    const artifacts = (await fixture.open()).openArtifacts()
    for await (const chunk of artifacts.readFile(story?.run_id ?? '', 'manifest.json')) chunks.push(chunk)
    const manifest = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    expect(manifest.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 0 }])
  })
})

describe('a green verification that proves little', () => {
  test('says where it is shown that 0 tests ran', async () => {
    await given({ steps: [{ ...passWhenNew, command: 'node --test --test-reporter=spec' }] })
    const verified = await fixture.drydock('verify', '--json')
    expect(resultOf(verified)).toMatchObject({
      outcome: { code: 'PASS', sentence: 'The verification passed, but 0 tests ran.' },
      answer: {
        manifest: {
          outcome: { code: 'PASS', sentence: 'The verification passed, but 0 tests ran.' },
          tests: { ran: 0, passed: 0, failed: 0, skipped: 0 },
          commands_executed: [{ tests: { ran: 0 } }],
        },
      },
    })
    expect(verified.exitCode).toBe(0)
    expect((await fixture.drydock('verify')).stdout).toMatch(/^Note: 0 tests ran\.\nPASS run_\w+$/m)
    expect((await fixture.drydock('status')).stdout).toMatch(/ PASS .* verify the working tree: 0 tests ran$/m)
    const { run } = resultOf(verified)
    expect((await fixture.drydock('report', String(run))).stdout).toMatch(/^- Verdict: PASS, 0 tests ran, run_id run_/m)
    const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    expect(done.stdout).toMatch(/^Verified: {2}PASS, 0 tests ran, run_id run_/m)
    expect((await fixture.drydock('report')).stdout).toContain('- 0 tests ran')
  })

  test('says that no test results were read where no runner is known', async () => {
    await given({ steps: [{ ...passWhenNew, command: 'true' }] })
    const verified = await fixture.drydock('verify', '--json')
    expect(resultOf(verified).outcome).toMatchObject({
      sentence: 'The verification passed, but no test results were read.',
    })
    expect(answerOf(verified).manifest).not.toHaveProperty('tests')
    const [status] = (await fixture.drydock('status', '--json')).events
    expect(status).toMatchObject({ verdict: 'PASS', outcome: { code: 'PASS', tone: 'good' } })
  })
})
