import { expect, test } from 'vitest'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import type { MemoryFixture } from '../../world/fixture.ts'
import { scripted, submit } from '../world/agent.ts'
import { alwaysGreen, approve, finding, needsChanges, reply, specLanes } from '../world/crew.ts'
import { statesOf, withRecords } from '../world/crew-script.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: MemoryFixture

const plan = {
  behaviour_change: 'one.txt is there',
  acceptance_criteria: ['one.txt is there'],
  non_goals: [],
  slices: ['write it'],
  files: ['one.txt'],
  tests: [],
}
const planning = 'You are planning'
const coding = 'until the change is complete'

test('in a crew an agent plans first and cannot write then, asks the architect, and gets the reviews in its session', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      {
        when: planning,
        steps: [
          { write: 'one.txt', text: 'early' },
          { tool: 'submit_plan', input: { ...plan, tests: ['none'] } },
        ],
      },
      { when: 'no such test', steps: [{ tool: 'submit_plan', input: plan }] },
      { when: coding, steps: [{ tool: 'ask_architect', input: { question: 'one or 1?' } }] },
      { when: 'Write one.', steps: [{ write: 'one.txt', text: '1\n' }, submit('Add one')] },
      { when: 'it says 1', steps: [{ write: 'one.txt', text: 'one\n' }, submit('Add one as a word')] },
    ],
    fixture: { steps: [alwaysGreen] },
  })
  const model = await fixture.replay({
    ...specLanes('one'),
    'architect/REQUEST/plan/one/1': [needsChanges('Mend it.', [finding({ claim: 'there is no such test' })])],
    'architect/REQUEST/plan/one/2': [approve()],
    'architect/REQUEST/question/one/1': [reply('Write one.')],
    'architect/REQUEST/code/one/1': [needsChanges('Mend it.', [finding({ claim: 'it says 1' })])],
    'architect/REQUEST/code/one/2': [approve()],
  })
  const flags = ['--model', model, '--editor-model', scripted, '--json', '--no-wait']
  const built = await fixture.drydock('run', 'Make the files', ...flags)
  expect(resultOf(built), built.stdout + built.stderr).toMatchObject({ status: 'DONE' })
  expect(statesOf(built)).toEqual({ one: 'DONE' })
  expect(await fixture.git('show', 'drydock/make-the-files:one.txt')).toBe('one')
  const run = String(resultOf(built).run)
  const sessions = await withRecords(fixture, (records) =>
    records.recentEvents({ run, types: ['agent_session'], limit: 20 }),
  )
  const ids = sessions.map(({ data }) => `${data.lane} ${data.session}`)
  expect(new Set(ids).size).toBe(2)
  expect(ids).toHaveLength(5)
  const log = (await fixture.drydock('log', '--verbose')).stdout
  expect(log).toMatch(/Write one.txt \(observed\) → failed: .*Read-only file system/)
})
