import { repositoryOf, runIn } from '../../domain/run/repositories.ts'
import { nextInTurn, sharesOf, withGiven } from '../../domain/share/in-turn.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { moveStory } from '../story/move-story.ts'
import {
  capsOf,
  type Running,
  readArrivals,
  readIdle,
  readOffered,
  readRunning,
  takingOf,
  type Wanting,
  wantingOf,
} from './slot-shares.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>

/**
 * Assigns slots to waiting work of this process: to a task's Run itself, and to each ready story of
 * a spec. Users, their Runs and the Runs' repositories take turns (`nextInTurn`). A Run in ERROR
 * keeps its slot only if it holds work that could not be saved, or is a crew's. If no slot is free,
 * a story that waits for a human or for its merge gives up its own.
 */
export async function schedule(tx: Transaction, deps: Deps): Promise<void> {
  const all = await readRunning(tx)
  const wanted = all.filter(({ run }) => deps.scope.has(run.id)).flatMap(wantingOf)
  if (wanted.length === 0) return
  const held = new Set(all.flatMap(({ run, stories }) => [run.data.slot, ...stories.map(({ data }) => data.slot)]))
  const free = (await readOffered(tx)).filter((slot) => !held.has(slot))
  const caps = capsOf(deps.slotCaps)
  const count = wanted.reduce((sum, { stories }) => sum + Math.max(1, stories.length), 0)
  const isScarce = count > free.length || caps.some((cap) => cap !== undefined)
  const idle = isScarce ? [...(await readIdle(tx, all))] : []
  const arrivals = isScarce && wanted.length > 1 ? await readArrivals(tx, wanted) : new Map<string, number>()
  let now = await tx.lastEvent()
  let shares = sharesOf(takingOf(all, { idle, arrivals }))
  let waiting: readonly Wanting[] = wanted
  const started = new Set<Story>()
  for (;;) {
    const next = nextInTurn(waiting, { shares, now, caps })
    if (next === undefined) return
    const slot = free.shift() ?? (await giveUp(tx, idle.shift()))
    if (slot === undefined) return
    // Later than all turns before, even those in this commit.
    now += 1
    const story = nextOf(next.stories, workedOn(next, started))
    await give(tx, deps, { running: next.running, story, slot, turn: now })
    if (story !== undefined) started.add(story)
    shares = withGiven(shares, next, now)
    waiting = waiting.flatMap((each) => (each === next ? without(each, story) : each))
  }
}

/** The remaining demand after a slot was assigned to the story, or to the Run of a task. */
function without(wanting: Wanting, story: Story | undefined): readonly Wanting[] {
  const stories = wanting.stories.filter((each) => each !== story)
  return stories.length === 0 ? [] : [{ ...wanting, stories }]
}

async function giveUp(tx: Transaction, story: Story | undefined): Promise<string | undefined> {
  if (story === undefined || story.data.slot === null) return undefined
  await tx.edit(story, { slot: null })
  return story.data.slot
}

interface SlotGrant {
  readonly running: Running
  readonly story: Story | undefined
  readonly slot: string
  readonly turn: number
}

async function give(tx: Transaction, deps: Deps, { running, story, slot, turn }: SlotGrant): Promise<void> {
  const { run } = running
  if (story === undefined) return giveTask(tx, deps, { running, slot, turn })
  // A saved snapshot is based on the story's old base.
  const { tip } = runIn(run, repositoryOf(story)).data
  const base = story.data.snapshot === null && tip !== null ? tip : story.data.base
  await moveStory(tx, deps.clock, story, { event: 'slot_assigned', data: { slot, base, turn } })
}

/**
 * Gives a slot to a task's Run that starts, or that moves to another host because its own is gone.
 */
async function giveTask(tx: Transaction, deps: Deps, { running, slot, turn }: Omit<SlotGrant, 'story'>): Promise<void> {
  const { run, stories } = running
  const given = await tx.edit(run, { slot, turn })
  if (run.state === 'WAITING') await tx.queue(given)
  const back = run.state === 'MONITORING' ? stories : []
  for (const story of back) await moveStory(tx, deps.clock, story, { event: 'slot_assigned', data: { slot } })
}

/** The files of stories of the same repository that have a slot, or were just given one. */
function workedOn({ running, path }: Wanting, started: ReadonlySet<Story>): ReadonlySet<string> {
  const beside = running.stories.filter((story) => (repositoryOf(story) ?? '') === path.at(-1))
  return new Set(beside.filter((story) => story.data.slot !== null || started.has(story)).flatMap(filesOf))
}

/** Prefers a story whose files no other story is changing. */
function nextOf(waiting: readonly Story[], busy: ReadonlySet<string>): Story | undefined {
  const free = waiting.find((story) => story.state === 'SETUP' || !filesOf(story).some((file) => busy.has(file)))
  return free ?? waiting[0]
}

function filesOf({ data }: Story): readonly string[] {
  return data.planned?.files_hint ?? []
}
