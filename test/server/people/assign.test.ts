import { expect, onTestFinished, test } from 'vitest'
import type { Chat } from '../../../src/api/chat.ts'
import type { RunList } from '../../../src/api/runs.ts'
import type { HubRows, HubToken } from '../../../src/app/commands/hub/hub-tokens.ts'
import { actsFor } from '../../../src/app/operations/operations.ts'
import type { Role } from '../../../src/domain/hub/role.ts'
import { build, greenStory, needsChanges, specLanes } from '../../scenarios/world/crew.ts'
import { servedOf } from '../memory-served.ts'
import { createMemoryWorld } from '../memory-server.ts'

/** A state with a question, which a hub and its people act on. */
async function asking() {
  const world = await createMemoryWorld({
    steps: [{ name: 'test', command: 'true' }],
    config: { editor: { review_rounds: 1 } },
  })
  onTestFinished(() => world.close())
  const stopped = await build(world.fixture, {
    ...specLanes('asks'),
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like this.')],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(6)
  await world.own()
  const token = (name: string, role: Role) => ({ name, role, expiresAt: null }) as HubToken
  const tokens = [token('bea', 'operator'), token('vic', 'viewer'), token('ada', 'admin'), token('w1', 'worker')]
  const rows = { hubTokens: async () => tokens } as unknown as HubRows
  const { drydock } = world
  const acts = actsFor(
    {
      drydock,
      options: {},
      receipts: () => Promise.reject(new Error('no receipt is read')),
      door: { hub: { rows, now: drydock.clock.now }, elsewhere: null, held: null },
    },
    { by: 'ada', role: 'admin', key: null },
  )
  const { page } = await servedOf(world)
  const asked = async () => (await page.get<RunList>('/api/runs')).escalations
  return { acts, page, asked, run: String(stopped.events[0]?.run) }
}

test('a question is for the operator of a hub whom somebody names, until it is for everybody again', async () => {
  const { acts, page, asked } = await asking()
  const [question] = await asked()
  const id = String(question?.id)
  expect(question).toMatchObject({ assigned_to: null })
  expect(await acts.people({})).toEqual({ operators: ['ada', 'bea'] })
  await acts.assign({ id, to: 'bea' })
  expect(await asked()).toMatchObject([{ id, assigned_to: 'bea' }])
  await expect(acts.assign({ id, to: 'vic' })).rejects.toThrow('vic cannot answer questions on this hub.')
  await acts.assign({ id, to: null })
  expect(await asked()).toMatchObject([{ id, assigned_to: null }])
  // One person's own dashboard has nobody to choose from.
  expect(await page.post(`/api/messages/${id}/assign`, { to: 'bea' })).toMatchObject({ status: 404 })
})

test('the chat keeps why a run was cancelled, and who has said so', async () => {
  const { acts, page, asked, run } = await asking()
  await acts.cancel({ run, reason: 'it is too dear' })
  expect(await asked()).toEqual([])
  const { messages } = await page.get<Chat>(`/api/runs/${run}/chat`)
  expect(messages.at(-1)).toMatchObject({ agent_id: 'human', author: 'ada', content: 'Cancelled: it is too dear' })
})
