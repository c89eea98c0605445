import { expect, test } from 'vitest'
import { resultOf } from '../scenarios/world/fixture.ts'
import { pinnedAgents } from './pinned-agents.ts'
import { realAgentWorld } from './real-agent-world.ts'

const write = (word: string) => ({ run: `echo ${word} > value.txt` })
const submit = { tool: 'submit_change', input: { summary: 'Say new' } }
for (const agent of pinnedAgents.filter(({ name }) => !process.env.AGENT || process.env.AGENT.split(',').includes(name)))
test(`${agent.name} task`, { timeout: 120_000 }, async () => {
  const world = await realAgentWorld(agent, { actions: [write('new'), submit] })
  const started = Date.now()
  const done = await world.fixture.drydock('task', '--json', '--editor-model', world.id, 'say new')
  console.log(agent.name, Date.now() - started, world.model.requests.length, JSON.stringify(world.model.impossible), done.stdout.slice(-3000), done.stderr)
  expect(resultOf(done)).toMatchObject({ status: 'DONE' })
})
