import { expect, test } from 'vitest'
import { createAgentFixture, scripted, submit, writeNew } from '../world/agent.ts'
import { withRecords } from '../world/crew-script.ts'
import { runKilled, type Story, survivors } from './kill.ts'

const often = <T>(turn: T): readonly T[] => Array.from({ length: 60 }, () => turn)

/** A stored task that has not started; its agent fails once. */
async function storedAgentTask(loads: boolean): Promise<Story> {
  const fixture = await createAgentFixture({
    script: { loads },
    turns: [
      ...often({ when: 'FAIL (run_', steps: [{ read: 'value.txt' }, writeNew, submit()] }),
      ...often({ steps: [{ say: 'I begin.' }, { write: 'value.txt', text: 'wrong\n' }, submit('Not yet')] }),
    ],
  })
  const model = await fixture.replay({})
  const drydock = await fixture.open()
  const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
  const request = { kind: 'task', task, dryRun: false, apply: false } as const
  const run = 'say-new-000000'
  const models = { architect: null, editor: scripted, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  return { fixture, run }
}

async function expectWhole({ fixture, run }: Story): Promise<void> {
  await withRecords(fixture, async (records) => {
    expect(await records.machine(run)).toMatchObject({ state: 'DONE' })
    expect((await records.verifications(run)).map(({ status }) => status)).toEqual(['FAIL', 'PASS'])
    expect(await records.isIdle(run)).toBe(true)
    expect((await records.spent(run)).underWay).toBe(0)
    const lane = await records.messages(`${run}/editor/task/CODING`)
    const calls = lane.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    expect(calls.map(({ tool }) => tool)).toEqual(['submit_change', 'submit_change'])
  })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  expect(survivors({ fixture, run })).toEqual([])
}

test.each([
  { moment: 'after' as const, loads: true, what: 'whose agent can load its session' },
  { moment: 'before' as const, loads: false, what: 'whose agent forgets its session' },
])(
  'a task $what that is killed $moment each of its commits is verified twice and done once',
  async ({ moment, loads }) => {
    const story = await storedAgentTask(loads)
    expect(await runKilled(story, moment)).toBeGreaterThan(10)
    await expectWhole(story)
    await story.fixture.remove()
  },
)
