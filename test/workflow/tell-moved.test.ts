import { expect, onTestFinished, test } from 'vitest'

import type { Story } from '../../src/domain/story/story.ts'
import { isLossUnheard, tellMoved } from '../../src/workflow/story/tell-moved.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

const run = 'say-new-000000'

/** The messages to the story's editor and to people after its workspace left the machine "big". */
async function told(moved: object) {
  const store = await createMemoryStore({ clock: createMemoryClock() })
  onTestFinished(() => store.close())
  const data = { pending: { moved }, snapshot: { sha: 'a'.repeat(40) }, snapshots: 3 }
  const story = { run, story: 'task', data } as never as Story
  const kept = await store.transact((tx) => tellMoved(tx as never, story))
  return { kept, story, events: await store.events({ run, after: 0, limit: 10 }) }
}

test('a workspace that moved with its files is told as an event and in the chat', async () => {
  const { kept, events } = await told({ from: 'big', lost: false })
  expect(kept).toEqual({})
  expect(events.map(({ type }) => type)).toEqual(['workspace_moved', 'chat'])
})

test('a workspace whose files are lost names the snapshot, and its story knows which message the editor must have read', async () => {
  const { kept, story, events } = await told({ from: 'big', lost: true })
  const chat = events.find(({ type }) => type === 'chat')
  expect(chat?.data).toEqual({ id: kept.lossTold, agent_id: 'drydock' })
  const after = { ...story, data: { ...story.data, ...kept } }
  expect(isLossUnheard({ data: { heard: undefined } } as never, after)).toBe(true)
  expect(isLossUnheard({ data: { heard: kept.lossTold } } as never, after)).toBe(false)
})
