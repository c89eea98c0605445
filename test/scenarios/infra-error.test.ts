import { afterEach, describe, expect, test } from 'vitest'
import { InfraFailure } from '../../src/gate/infra-failure.ts'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { conversationOf } from './world/conversation.ts'
import { greenStory, specLanes } from './world/crew.ts'
import { answerStory, escalations, play, statesOf, withRecords } from './world/crew-script.ts'
import { type CommandResult, call, change, greenLanes, plan, resultOf, write } from './world/fixture.ts'
import { branch, landedOn } from './world/merge-facts.ts'

let fixture: MemoryFixture
afterEach(() => fixture.remove())

const failures = {
  'the sandbox': new InfraFailure({ errorType: 'sandbox_unavailable', errorMessage: 'bubblewrap is missing' }),
  'the disk': new InfraFailure({ errorType: 'resource_exhaustion', errorMessage: 'no space left on device' }),
  'a service': new InfraFailure({ errorType: 'service_failed', errorMessage: 'the database does not start' }),
  'the checkout': new InfraFailure({ errorType: 'checkout_failed', errorMessage: 'git could not read the commit' }),
} as const

/** The error with which a verification's step fails, while it is set. */
let failure: Error | null = null
const isGreen = (text: string | null) => text === 'new\n'

/** A repository whose step requires `value.txt` to say new, once the infrastructure lets it run. */
async function given(beside: Program = () => 0): Promise<void> {
  const check: Program = async (seen, args) => {
    if (failure === null) return isGreen(seen.read('value.txt')) ? 0 : { exitCode: 1, output: 'it is not new\n' }
    await beside(seen, args)
    throw failure
  }
  fixture = await createMemoryFixture({ programs: { check }, steps: [{ name: 'test', command: 'check' }] })
}

const callsOf = async (ended: CommandResult) => (await conversationOf(fixture, ended).events('model_call')).length
const statuses = async (ended: CommandResult) =>
  (await conversationOf(fixture, ended).story()).data.attempts.map(({ status }) => status)

describe('a task whose verification the infrastructure ends', () => {
  test.each(Object.entries(failures))(
    'because of %s continues at the verification when it is resumed, as often as needed, and no model is asked again',
    async (_what, kind) => {
      await given()
      failure = kind
      const model = await fixture.replay(greenLanes)
      const ended = await fixture.drydock('task', 'say new', '--json', '--model', model)
      expect([ended.exitCode, resultOf(ended).status]).toEqual([4, 'INFRA_ERROR'])
      expect((await fixture.drydock('report')).stdout).toContain(kind.infra.errorMessage)
      const calls = await callsOf(ended)
      const still = await fixture.drydock('resume', '--json')
      expect([still.exitCode, resultOf(still).status]).toEqual([4, 'INFRA_ERROR'])
      failure = null
      const done = await fixture.drydock('resume', '--json')
      expect([done.exitCode, resultOf(done)]).toEqual([
        0,
        expect.objectContaining({ status: 'DONE', branch: 'drydock/say-new', run: resultOf(ended).run }),
      ])
      expect(await statuses(done)).toEqual(['INFRA_ERROR', 'INFRA_ERROR', 'PASS'])
      expect(await callsOf(done)).toBe(calls)
      expect(await conversationOf(fixture, done).lanes()).toEqual(['editor/task/PLANNING', 'editor/task/CODING'])
      const { sha, runId } = (await conversationOf(fixture, done).story()).data.attempts.at(-1) ?? {}
      expect(await fixture.git('rev-parse', 'drydock/say-new')).toBe(sha)
      expect(await fixture.git('log', '-1', '--format=%B', 'drydock/say-new')).toContain(`Verified-By: ${runId}`)
    },
  )

  test('is verified as it was handed in, whatever was written into its workspace since', async () => {
    await given(async () => {
      await fixture.writeInSlot('coder-001', { 'late.txt': 'late\n' })
      return 0
    })
    failure = failures['the disk']
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    failure = null
    expect((await fixture.drydock('resume')).exitCode).toBe(0)
    expect(await fixture.git('ls-tree', '--name-only', 'drydock/say-new')).not.toContain('late.txt')
  })

  test('continues in the same conversation when the verification is red then', async () => {
    await given()
    failure = failures['the sandbox']
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [write('half\n'), change('Half'), write('new\n'), change()],
    })
    await fixture.drydock('task', 'say new', '--model', model)
    failure = null
    const done = await fixture.drydock('resume', '--json')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(await statuses(done)).toEqual(['INFRA_ERROR', 'FAIL', 'PASS'])
    const messages = await conversationOf(fixture, done).messages('editor/task/CODING')
    const told = messages.findIndex((message) => message.role === 'user' && message.text.startsWith('FAIL (run_'))
    expect(messages[told - 1]).toMatchObject({
      role: 'tool',
      results: [{ tool: 'submit_change', output: '(handed in; the answer follows)', ok: true }],
    })
    expect(JSON.stringify(messages[told])).toContain('it is not new')
  })

  test('continues with its next slice', async () => {
    await given()
    failure = failures['the sandbox']
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        write('new\n'),
        change('One', { next_slice: 'two' }),
        call('write_file', { path: 'two.txt', content: 'two\n' }),
        change('Two'),
      ],
    })
    await fixture.drydock('task', 'say new', '--model', model)
    failure = null
    const done = await fixture.drydock('resume', '--json')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(await statuses(done)).toEqual(['INFRA_ERROR', 'PASS', 'PASS'])
  })

  test('continues with the claim that nothing needs to change', async () => {
    await given()
    failure = failures['the sandbox']
    const claim = { reason: 'It says new already.', evidence: 'value.txt:1' }
    const lanes = { 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [call('no_change', claim)] }
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(lanes))
    failure = null
    const done = await fixture.drydock('resume', '--json')
    expect(resultOf(done)).toMatchObject({ status: 'NO_CHANGE', claim })
  })

  test('starts again from its report when a retry brings guidance', async () => {
    await given()
    failure = failures['the sandbox']
    const again = Object.entries(greenLanes).map(([lane, turns]) => [lane.replace('/task/', '/task@2/'), turns])
    const model = await fixture.replay({ ...greenLanes, ...Object.fromEntries(again) })
    await fixture.drydock('task', 'say new', '--model', model)
    failure = null
    const done = await fixture.drydock('retry', '--guidance', 'Think of the letters.', '--json')
    expect(done.exitCode, done.stdout + done.stderr).toBe(0)
    expect(await conversationOf(fixture, done).prompt('editor/task@2/PLANNING')).toContain('Think of the letters.')
  })
})

describe('a story of a crew that the infrastructure ends', () => {
  const one = { ...specLanes('one'), ...greenStory('one') }
  const spec = { lanes: { ...one, 'editor/one/CODING': [write('new\n'), ...(one['editor/one/CODING'] ?? [])] } }
  const asked = (ended: CommandResult) => escalations(ended).map(({ question }) => question)
  const openQuestions = (ended: CommandResult) =>
    withRecords(fixture, async (records) => {
      const { run } = conversationOf(fixture, ended)
      return (await records.machine(`${run}/one`))?.data
    })

  test.each([
    ['the Run is resumed', () => fixture.drydock('resume', '--json', '--no-wait')],
    ['the question is answered with retry', () => answerStory(fixture, 'one', 'retry')],
    ['the story is retried', () => fixture.drydock('retry', 'one', '--json', '--no-wait')],
  ])('at its verification continues there when %s, and no model is asked again', async (_how, continues) => {
    await given()
    failure = failures['the sandbox']
    const ended = await play(fixture, spec)
    expect([ended.exitCode, asked(ended)]).toEqual([6, [expect.stringContaining('one ended INFRA_ERROR')]])
    expect(asked(ended)[0]).toContain('it goes on where it was')
    const calls = await callsOf(ended)
    failure = null
    const done = await continues()
    expect([done.exitCode, statesOf(done)], done.stdout + done.stderr).toEqual([0, { one: 'DONE' }])
    // One call is new: that of the review.
    expect(await callsOf(done)).toBe(calls + 1)
    expect(await landedOn(fixture)).toMatchObject([{ verification: { status: 'PASS' } }])
    expect(await openQuestions(done)).toMatchObject({ retries: 0, name: 'one', escalation: null })
  })

  test('at its merge is merged again as it was approved when the Run is resumed', async () => {
    await given()
    failure = null
    const unblock = await fixture.blockCheckout('merge')
    const ended = await play(fixture, spec)
    expect([ended.exitCode, asked(ended)]).toEqual([6, [expect.stringContaining('one ended INFRA_ERROR')]])
    expect(await fixture.git('branch', '--list', 'drydock/*')).toBe('')
    const calls = await callsOf(ended)
    const still = await fixture.drydock('resume', '--json', '--no-wait')
    expect([still.exitCode, asked(still)]).toEqual([6, [expect.stringContaining('one ended INFRA_ERROR')]])
    await unblock()
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([done.exitCode, statesOf(done)], done.stdout + done.stderr).toEqual([0, { one: 'DONE' }])
    expect(await callsOf(done)).toBe(calls)
    expect(await landedOn(fixture)).toMatchObject([{ verification: { status: 'PASS' } }])
    expect(await fixture.git('show', `${branch}:value.txt`)).toBe('new')
  })

  test('lets its dependents continue with it', async () => {
    await given()
    failure = failures['the sandbox']
    const stories = ['one', { id: 'two', depends_on: ['one'] }] as const
    const ended = await play(fixture, {
      lanes: { ...spec.lanes, ...specLanes(...stories), ...greenStory('two') },
    })
    expect(ended.exitCode).toBe(6)
    failure = null
    const done = await fixture.drydock('resume', '--json', '--no-wait')
    expect([done.exitCode, statesOf(done)], done.stdout + done.stderr).toEqual([0, { one: 'DONE', two: 'DONE' }])
  })
})
