import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { takeOwnerLock } from '../../src/adapters/engine/owner-lock.ts'
import { listenAsOwner, ownerSocketPath } from '../../src/adapters/engine/owner-socket.ts'
import { sqliteFile } from '../../src/adapters/store/database.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { Story } from '../../src/domain/story/story.ts'
import type { StoryEvent } from '../../src/domain/story/story-machine.ts'

/** The new state of a story, and the time just before it was stored, in milliseconds since 1970. */
export interface Move {
  readonly story: string
  readonly to: string
  readonly at: number
}

/**
 * A process that owns a state, and moves its stories like a crew, one after the other. Each input
 * line gives a number of milliseconds to do so; then the process prints its moves. With each move
 * it stores three tool calls.
 */
const [state = '', run = ''] = process.argv.slice(2)
const moveMs = 50
const way: Readonly<Partial<Record<Story['state'], StoryEvent>>> = {
  QUEUED: 'slot_assigned',
  SETUP: 'workspace_ready',
  PLANNING: 'plan_to_review',
  PLAN_REVIEW: 'approved',
  CODING: 'change_submitted',
  VERIFYING: 'passed_to_review',
  CODE_REVIEW: 'needs_changes',
}

if (takeOwnerLock(`${state}/owner.lock`) === null) throw new Error('another process is the owner')
const store = await createSqliteStore({ file: sqliteFile(state), clock: createSystemClock() })
const socket = await listenAsOwner(ownerSocketPath(state), {
  facts: () => ({ pid: process.pid, asked: 'all', only: false }),
  wake: () => {},
  ask: () => {},
  live: { since: () => ({ version: 0, lanes: [], ids: [] }), onChange: () => {} },
})
const stories = [...(await store.machines({ kind: 'story', run }))]
console.log('ready')
let turn = 0
/** Moves since the last line. */
let moved: Move[] = []
for await (const line of createInterface(process.stdin)) {
  for (const end = performance.now() + Number(line); performance.now() < end; turn += 1) {
    const story = stories[(turn * 7) % stories.length] as Story
    await move(story)
    for (let call = 0; call < 3; call += 1) {
      await delay(moveMs / 4)
      await callTool(story)
    }
    await delay(moveMs / 4)
  }
  console.log(JSON.stringify(moved))
  moved = []
}
await socket.close()
await store.close()

async function move(story: Story): Promise<void> {
  const event = way[story.state]
  if (event === undefined) throw new Error(`no way on from ${story.state}`)
  const at = Date.now()
  const next = await store.transact(async (tx) => {
    const after = await tx.move(story, event, { next: 'rest' })
    await tx.appendEvent({
      run,
      story: story.story,
      type: 'state',
      data: { from: story.state, event, to: after.state },
    })
    return after
  })
  stories[stories.indexOf(story)] = next
  moved.push({ story: String(story.story), to: next.state, at })
  socket.announce()
}

async function callTool(story: Story): Promise<void> {
  const data = { lane: `editor/${story.story}/CODING`, turn, tool: 'read_file', ok: true }
  await store.transact((tx) => tx.appendEvent({ run, story: story.story, type: 'tool', data }))
  socket.announce()
}
