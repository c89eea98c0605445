import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../world/fixture.ts'
import { approve, finding, needsChanges, reject, reply } from './world/crew.ts'
import { type CommandResult, call, change, plan, resultOf, type Turns, write } from './world/fixture.ts'

const planned = { 'editor/task/PLANNING': [plan()], 'architect/REQUEST/plan/task/1': [approve()] }
const written = { ...planned, 'editor/task/CODING': [write('new\n'), change()] }

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ config: { editor: { review_rounds: 2 } } })
})
afterAll(() => fixture.remove())

async function reviewed(lanes: Readonly<Record<string, Turns>>, ...more: readonly string[]): Promise<CommandResult> {
  const model = await fixture.replay(lanes)
  return fixture.drydock('task', 'say new', '--review', '--json', '--no-wait', '--model', model, ...more)
}

const states = ({ events }: CommandResult) =>
  events.filter(({ type, story }) => type === 'state' && story === 'task').map(({ to }) => to)

describe('a task with --review', () => {
  let result: CommandResult
  beforeAll(async () => {
    result = await reviewed({
      'editor/task/PLANNING': [call('ask_architect', { question: 'Which file?' }), plan(), plan()],
      'architect/REQUEST/question/task/1': [reply('value.txt')],
      'architect/REQUEST/plan/task/1': [needsChanges('Which test?', [finding({ claim: 'no test' })])],
      'architect/REQUEST/plan/task/2': [approve()],
      'editor/task/CODING': [write('new but wrong\n'), change(), write('new\n'), change()],
      'architect/REQUEST/code/task/1': [needsChanges('It says too much.', [finding({ claim: 'says wrong' })])],
      'architect/REQUEST/code/task/2': [
        call('read_file', { path: 'value.txt', coder_id: '${coder_id}' }),
        approve({ findings: [finding({ severity: 'minor', claim: 'be brief' })] }),
      ],
    })
  })

  test('is done when the architect has answered, and has approved plan and change', () => {
    expect(result, result.stderr).toMatchObject({ exitCode: 0 })
    expect(states(result)).toEqual([
      'SETUP',
      'PLANNING',
      'QUESTION',
      'PLANNING',
      'PLAN_REVIEW',
      'PLANNING',
      'PLAN_REVIEW',
      'CODING',
      'VERIFYING',
      'CODE_REVIEW',
      'CODING',
      'VERIFYING',
      'CODE_REVIEW',
      'DONE',
    ])
  })

  test('ends with a branch at exactly the commit that was verified and approved, as its receipt says', async () => {
    const { branch, stories } = resultOf(result) as { branch: string; stories: { sha: string }[] }
    const sha = stories[0]?.sha ?? ''
    expect(await fixture.git('rev-parse', branch)).toBe(sha)
    expect(await fixture.git('show', `${branch}:value.txt`)).toBe('new')
    const { stdout } = await fixture.drydock('receipt', 'show', branch)
    expect(stdout).toContain(`APPROVED by architect`)
    expect(stdout).toContain(sha)
  })
})

describe('the architect of a task', () => {
  test('ends it by a rejection, of which the result says so', async () => {
    const result = await reviewed({ ...written, 'architect/REQUEST/code/task/1': [reject('It is not wanted.')] })
    expect(result.exitCode).toBe(3)
    expect(resultOf(result)).toMatchObject({ status: 'STUCK', outcome: { code: 'REJECTED' }, branch: null })
  })

  test('leaves a review that settles nothing to a human, whose word approves the change', async () => {
    const no = needsChanges('No.', [finding({ claim: 'wrong' })])
    const again = {
      ...planned,
      'editor/task/CODING': [write('new\n'), change(), write('new, too\n'), change()],
      'architect/REQUEST/code/task/1': [no],
      'architect/REQUEST/code/task/2': [no],
    }
    const asked = await reviewed(again)
    expect(asked.exitCode).toBe(6)
    const run = String(asked.events[0]?.run)
    expect((await fixture.drydock('report', run)).stdout).toContain(`Read its question: drydock chat ${run}`)
    await fixture.drydock('accept', run, 'c2')
    const named = await fixture.replay(again)
    const done = await fixture.drydock('resume', run, '--json', '--architect-model', named)
    expect(done.exitCode, done.stderr).toBe(0)
    const { status, branch } = resultOf(done)
    expect(status).toBe('DONE')
    expect((await fixture.drydock('receipt', 'show', String(branch))).stdout).toContain('APPROVED by a human')
  })

  test('reviews the claim that nothing needs to change', async () => {
    await fixture.write({ 'value.txt': 'new\n' })
    await fixture.git('commit', '-qam', 'new already')
    const claim = call('no_change', { reason: 'It is there.', evidence: 'value.txt:1' })
    const lanes = { ...planned, 'editor/task/CODING': [claim], 'architect/REQUEST/completion/task/1': [approve()] }
    const result = await reviewed(lanes)
    expect(states(result)).toContain('COMPLETION_REVIEW')
    expect(resultOf(result)).toMatchObject({ status: 'DONE', branch: null, outcome: {} })
  })
})

test('a change that is only shown is not reviewed', async () => {
  const { exitCode, stderr } = await reviewed(written, '--dry-run')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('--dry-run and --review cannot be used together')
})

test('a model of an architect needs a review', async () => {
  const { exitCode, stderr } = await fixture.drydock('task', 'say new', '--architect-model', 'anthropic:claude-opus-5')
  expect(exitCode).toBe(2)
  expect(stderr).toContain('Add --review or --acceptance')
})

test('without --review no model of an architect is asked', async () => {
  const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [write('new\n'), change()] }
  const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
  expect(done.events.filter(({ type }) => type === 'request')).toEqual([])
})
