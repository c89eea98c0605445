import { expect, test } from 'vitest'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import type { MemoryFixture } from '../../world/fixture.ts'
import { criterion, scripted, submit, writeNew } from '../world/agent.ts'
import { type CommandResult, call, resultOf } from '../world/fixture.ts'

let fixture: MemoryFixture

const report = {
  repo_map: { relevant_files: [], entry_points: [], dependency_graph: {} },
  risk_zones: [],
  change_boundaries: { safe_slices: [], ordering_constraints: [] },
  prior_art: [],
  hypotheses: [],
  conventions: { naming: '', patterns: [], anti_patterns: [] },
  verification_tips: ['It is in value.txt'],
}
const planned = {
  behaviour_change: 'value.txt says new',
  acceptance_criteria: ['it does'],
  non_goals: [],
  slices: ['write it'],
  files: ['value.txt'],
  tests: [],
}
const scouts = { 'scout/codebase/task/1.1': [call('submit_report', report)] }

const model = () => fixture.replay(scouts)
const statesOf = ({ events }: CommandResult) => events.filter(({ type }) => type === 'state').map(({ to }) => to)

async function task(...args: readonly string[]) {
  return fixture.drydock(
    'task',
    '--json',
    '--editor-model',
    scripted,
    '--model',
    await model(),
    ...criterion,
    ...args,
    'say new',
  )
}

test('the verdict is the next prompt of the same session, and a scout answers it, too', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      { steps: [{ tool: 'ask_scout', input: { scout: 'codebase', question: 'Where is the value?' } }] },
      { when: 'It is in value.txt', steps: [{ write: 'value.txt', text: 'wrong\n' }, submit('Not yet')] },
      { when: 'FAIL', steps: [{ read: 'value.txt' }, writeNew, submit()] },
    ],
  })
  const done = await task()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  const records = (await fixture.open()).openRecords()
  const run = String(resultOf(done).run)
  const sessions = (await records.recentEvents({ run, types: ['agent_session'], limit: 10 })).map(({ data }) => data)
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(1)
  expect(sessions.map(({ loaded }) => loaded)).toEqual([true, true, false])
  expect((await records.verifications(run)).map(({ status }) => status)).toEqual(['FAIL', 'PASS'])
  await records.close()
})

test('without criteria an agent plans first, where it cannot write, and codes in a separate session', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      {
        when: 'You are planning',
        steps: [
          { write: 'value.txt', text: 'too early\n' },
          { tool: 'submit_plan', input: planned },
        ],
      },
      { when: 'until the change is complete', steps: [{ read: 'value.txt' }, writeNew, submit()] },
    ],
  })
  const done = await fixture.drydock('task', '--json', '--editor-model', scripted, '--model', await model(), 'say new')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  expect(statesOf(done)).toEqual(['SETUP', 'PLANNING', 'CODING', 'VERIFYING', 'DONE'])
})

test('the words of an agent that hands in no plan are its plan', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      { when: 'You are planning', steps: [{ say: 'I look.' }] },
      { when: 'ended without a plan', steps: [{ say: 'value.txt will say new.' }] },
      { when: 'value.txt will say new.', steps: [writeNew, submit()] },
    ],
  })
  const done = await fixture.drydock('task', '--json', '--editor-model', scripted, '--model', await model(), 'say new')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
})

test('a wrong submission of an agent is refused with the reason, and its files are taken after a reminder', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      {
        steps: [
          { tool: 'submit_change', input: { summary: 7, next_slice: '' } },
          { tool: 'submit_plan' },
          { tools: true },
        ],
      },
      { when: 'you have handed nothing in', steps: [writeNew, { say: 'Value says new now' }] },
    ],
  })
  const done = await task()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  expect(await fixture.git('log', '-1', '--format=%s', 'drydock/say-new')).toBe('Value says new now')
  const log = (await fixture.drydock('log', '--verbose')).stdout
  expect(log).toContain('The input of `submit_change` is not valid')
  expect(log).toContain('There is no tool `submit_plan`')
  expect(log).toContain('["ask_scout","post_message","read_messages","submit_change","no_change"]')
})

test('after three failures another session begins, which knows what was tried', async () => {
  const wrong = (n: number) => ({ write: 'value.txt', text: `wrong ${n}\n` })
  fixture = await createMemoryAgentFixture({
    turns: [
      { when: 'Verification has failed three times in a row', steps: [writeNew, submit()] },
      { when: 'hypothesis', steps: [wrong(3), submit('Three'), submit('Three', { hypothesis: 'The file is wrong.' })] },
      { when: 'FAIL (run_', steps: [wrong(2), submit('Two')] },
      { steps: [wrong(1), submit('One')] },
    ],
  })
  const done = await task()
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  const lanes = done.events.filter(({ type }) => type === 'lane').map(({ lane }) => lane)
  expect(lanes).toEqual(['editor/task/CODING', 'editor/task/CODING/2'])
  const moves = done.events.filter(({ type }) => type === 'state').map(({ event }) => event)
  expect(moves).toContain('start_over')
  expect((await fixture.drydock('log', '--verbose')).stdout).toContain('it does not say why')
})
