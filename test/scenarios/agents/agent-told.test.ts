import { expect, test } from 'vitest'
import type { AgentScript, ScriptedTurn } from '../../acp/agent-script.ts'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import type { MemoryFixture } from '../../world/fixture.ts'
import { file } from '../../world/objects.ts'
import { criterion, scripted, submit, writeNew } from '../world/agent.ts'
import { withRecords } from '../world/crew-script.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: MemoryFixture

interface ToldCase {
  readonly turns: readonly ScriptedTurn[]
  readonly script?: Omit<AgentScript, 'turns'>
  readonly editor?: object
}

async function started({ editor = {}, ...told }: ToldCase): Promise<readonly string[]> {
  fixture = await createMemoryAgentFixture({ ...told, fixture: { config: { editor } } })
  return ['task', '--json', '--editor-model', scripted, '--model', await fixture.replay({}), ...criterion, 'say new']
}

async function task(told: ToldCase) {
  const args = await started(told)
  return fixture.drydock(...args)
}
const wrong = { write: 'value.txt', text: 'wrong\n' } as const

test('people’s messages during a turn of an agent are its next prompt, and are repeated to one that died meanwhile', async () => {
  const args = await started({
    turns: [
      { when: 'in lower case', steps: [{ die: 1 }] },
      { when: 'in lower case', steps: [{ say: 'Very well.' }] },
      { when: 'in lower case', steps: [submit('Heard twice')] },
      { when: 'nothing in', steps: [writeNew, submit()] },
      { steps: [{ run: 'cat value.txt' }, { waitFor: 'go' }, { run: 'rm go' }] },
    ],
  })
  const running = fixture.launch([...args, '--no-ui'])
  await running.line(/"type":"tool".*"observed"/)
  await fixture.drydock('chat', '--post', 'Write it in lower case')
  const { disk, workTrees } = fixture.machine.git
  disk.get(workTrees.path('coder-001'))?.set('go', file(''))
  const done = await running.ended
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  const said = await withRecords(fixture, async (records) =>
    records.messages(`${resultOf(done).run}/editor/task/CODING`),
  )
  const told = said.filter((message) => message.role === 'user' && message.text.includes('in lower case'))
  expect(told).toHaveLength(1)
})

test('an agent that refuses to load its session continues in a new one, which is told everything so far', async () => {
  const done = await task({
    script: { failsOn: 'session/load' },
    turns: [
      { when: 'in a conversation that is lost', steps: [{ read: 'value.txt' }, writeNew, submit()] },
      { steps: [wrong, submit('Not yet')] },
    ],
  })
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  const prompts = done.events.filter(({ type }) => type === 'agent_session')
  expect(prompts.map(({ loaded }) => loaded)).toEqual([false, false])
  expect(new Set(prompts.map(({ session }) => session)).size).toBe(2)
})

test('a retry of stuck work tells the agent the guidance and the earlier results', async () => {
  const same = { run: 'cat value.txt' }
  const stuck = await task({
    turns: [
      { when: 'look at the letters', steps: [writeNew, submit()] },
      { steps: [wrong, same, same, same, same, same, { hang: true }] },
    ],
  })
  expect(resultOf(stuck), stuck.stdout + stuck.stderr).toMatchObject({ status: 'STUCK' })
  const done = await fixture.drydock('retry', '--guidance', 'look at the letters', '--json')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
})

test('an agent near its limit is warned in its next prompt', async () => {
  const done = await task({
    editor: { coding_iterations: 4 },
    turns: [{ when: '2 turns are left', steps: [writeNew, submit()] }, { steps: [wrong, submit('Not yet')] }],
  })
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
})
