import type { Merge } from '../../domain/merge/merge.ts'
import { repositoryOf } from '../../domain/run/repositories.ts'
import { isHeld, openRunStates, type Run } from '../../domain/run/run.ts'
import type { Party, Taking } from '../../domain/share/in-turn.ts'
import type { SlotCaps } from '../../domain/share/slot-caps.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Records } from '../../ports/store.ts'
import { storiesOf } from '../machines.ts'

/** A Run, with its stories that have or want slots of their own. */
export interface Running {
  readonly run: Run
  readonly stories: readonly Story[]
}

/**
 * A party that wants slots: the Run of a task, or the ready stories of a spec in one repository.
 */
export interface Wanting extends Party {
  readonly running: Running
  readonly stories: readonly Story[]
}

/** All open Runs in order of their requests. */
export async function readRunning(records: Records): Promise<readonly Running[]> {
  const runs = await records.machines({ kind: 'run', states: openRunStates })
  return Promise.all(
    runs.map(async (run) => ({ run, stories: hasStories(run) ? await storiesOf(records, run.id) : [] })),
  )
}

/** A task's Run holds the slot of its story, unless the host is gone. */
function hasStories(run: Run): boolean {
  return run.data.policy.slot === 'story' || (run.state === 'MONITORING' && run.data.slot === null)
}

export async function readOffered(records: Records): Promise<readonly string[]> {
  return (await records.machines({ kind: 'slot', states: ['OFFERED'] })).map(({ data }) => data.name).toSorted()
}

/** The caps by level of a path: user, then Run; a repository has none. */
export function capsOf({ per_user, per_run }: SlotCaps): readonly (number | undefined)[] {
  return [per_user, per_run]
}

/** Users take turns for slots, then the Runs of each user, then the repositories of each Run. */
export function partyOf({ id, data }: Run, repository?: string): Party {
  return { path: [data.startedBy ?? '', id, repository ?? ''], priority: data.priority ?? 'normal' }
}

export function wantingOf(running: Running): readonly Wanting[] {
  const { run, stories } = running
  if (run.data.policy.slot === 'run') {
    const goesOn = run.state === 'MONITORING' && !isHeld(run) && stories.some(isBack)
    const wants = goesOn || (run.state === 'WAITING' && run.data.slot === null)
    return wants ? [{ ...partyOf(run), running, stories: [] }] : []
  }
  if (run.state !== 'MONITORING' || isHeld(run)) return []
  return [...Map.groupBy(ready(inOrderOf(run, stories)), repositoryOf)].map(([repository, stories]) => {
    return { ...partyOf(run, repository), running, stories }
  })
}

/**
 * Sorts the stories in the order of the plan, which a person may have changed since the stories
 * were stored.
 */
function inOrderOf({ data }: Run, stories: readonly Story[]): readonly Story[] {
  const place = new Map((data.stories ?? []).map(({ id }, i) => [id, i]))
  const placeOf = ({ story }: Story) => place.get(story ?? '') ?? place.size
  return stories.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/**
 * Stories that continue come before those that start; of these only the ones whose dependencies are
 * done.
 */
function ready(stories: readonly Story[]): readonly Story[] {
  const done = new Set(stories.filter(({ state }) => state === 'DONE').map(({ story }) => story))
  const returning = stories.filter(isBack)
  const starting = stories.filter(
    ({ state, data }) => state === 'QUEUED' && (data.planned?.depends_on ?? []).every((id) => done.has(id)),
  )
  return [...returning, ...starting]
}

/** True for a story that has started and can continue in any slot. */
function isBack({ state, data }: Story): boolean {
  return state === 'SETUP' && data.slot === null
}

/**
 * The slots that each party holds. Slots of `idle` stories do not count, since any story may take
 * them. `arrivals`: the first event of each Run that never had a slot.
 */
export function takingOf(
  all: readonly Running[],
  { idle, arrivals }: { readonly idle: readonly Story[]; readonly arrivals: ReadonlyMap<string, number> },
): readonly Taking[] {
  const left = new Set(idle.map(({ id }) => id))
  return all.flatMap(({ run, stories }) => {
    const turn = run.data.turn ?? arrivals.get(run.id)
    return [
      { ...partyOf(run), holds: Number(run.data.slot !== null), turn },
      ...stories.map((story) => ({
        ...partyOf(run, repositoryOf(story)),
        holds: Number(story.data.slot !== null && !left.has(story.id)),
        turn: story.data.turn,
      })),
    ]
  })
}

/** The age of Runs that never had a slot, by their first event. */
export async function readArrivals(
  records: Records,
  wanting: readonly Wanting[],
): Promise<ReadonlyMap<string, number>> {
  const wasGiven = ({ run, stories }: Running) =>
    run.data.turn !== undefined || stories.some(({ data }) => data.turn !== undefined)
  const fresh = new Set(wanting.filter(({ running }) => !wasGiven(running)).map(({ running }) => running.run.id))
  const first = async (run: string) => {
    const [event] = await records.recentEvents({ run, types: ['run'], limit: 1 })
    return [run, event?.id ?? 0] as const
  }
  return new Map(await Promise.all([...fresh].map(first)))
}

/**
 * The stories whose slots can be taken, since they wait for a human or for their merge and their
 * work was snapshotted.
 */
export async function readIdle(records: Records, all: readonly Running[]): Promise<readonly Story[]> {
  const asking = await records.machines({ kind: 'request', states: ['ESCALATED'] })
  const merging = await records.machines({ kind: 'merge', states: ['QUEUED', 'MERGING'] })
  const waits = (story: Story) =>
    story.state === 'ESCALATED' ||
    asking.some(({ id }) => id === story.data.request) ||
    merging.some((merge: Merge) => merge.run === story.run && merge.story === story.story)
  return all
    .filter(({ run }) => run.state === 'MONITORING')
    .flatMap(({ stories }) => stories.filter((story) => story.data.slot !== null && waits(story)))
}
