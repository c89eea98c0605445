import { expect, test } from 'vitest'
import { agentWorld, prompted } from '../../acp/agent-world.ts'

const chunk = (text: string, messageId: string) => ({
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId },
})
const begun = (toolCallId: string) => ({
  update: { sessionUpdate: 'tool_call', toolCallId, title: 'Test', kind: 'execute', status: 'in_progress' },
})
const done = (toolCallId: string) => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' },
})

const asked = {
  toolCall: { toolCallId: 'remove', title: 'Remove' },
  options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
}

test('late updates of a finished turn are not taken for the next turn', async () => {
  const { session } = await agentWorld()
  const agent = await session({
    turns: [
      { steps: [begun('build'), chunk('First', 'm1')] },
      { steps: [done('build'), chunk(' and more.', 'm1'), begun('test'), done('test'), chunk('Second.', 'm2')] },
      { steps: [{ client: 'session/request_permission', params: asked }, done('remove')] },
    ],
  })
  expect((await prompted(agent, 'Go.')).end).toMatchObject({ type: 'ended', text: 'First' })
  const { end, updates } = await prompted(agent, 'On.')
  expect(end).toEqual({ type: 'ended', reason: 'end_turn', text: 'Second.' })
  expect(updates.map((update) => (update.type === 'tool' ? `${update.id} ${update.status}` : update))).toEqual([
    'test in_progress',
    'test completed',
    { type: 'said', text: 'Second.' },
  ])
  // A call with a permission request needs no other start.
  const third = await prompted(agent, 'More.')
  expect(third.updates).toContainEqual(expect.objectContaining({ type: 'tool', id: 'remove', status: 'completed' }))
})

test('nor is what a new process says of a call that the one before it has begun', async () => {
  const { session } = await agentWorld()
  const script = { loads: true, turns: [{ steps: [begun('build')] }, { steps: [done('build')] }] }
  const first = await session(script)
  await prompted(first, 'Go.')
  await first.close()
  const second = await session(script, { session: first.id })
  expect((await prompted(second, 'On.')).updates).toEqual([])
})
