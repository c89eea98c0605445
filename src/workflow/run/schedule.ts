import type { Merge } from '../../domain/merge/merge.ts'
import { repositoryOf, runIn } from '../../domain/run/repositories.ts'
import { hasCrew, isEnded, isHeld, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { storiesOf } from '../machines.ts'
import { moveStory } from '../story/move-story.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'scope'>

/** A Run, with its stories when a crew builds it. */
interface Running {
  readonly run: Run
  readonly stories: readonly Story[]
}

/**
 * Gives slots to what waits for one and is worked on here, strictly in the order of the Runs: to a
 * task's Run itself, to each story of a spec that is ready. A Run in ERROR keeps its slot only when
 * it holds work that could not be kept, or a crew's. When none is free, a story that waits for a
 * human or to be merged gives its own up.
 */
export async function schedule(tx: Transaction, deps: Deps): Promise<void> {
  const runs = (await tx.machines({ kind: 'run' })).filter((run) => !isEnded(run.state))
  const all: readonly Running[] = await Promise.all(
    runs.map(async (run) => ({ run, stories: hasCrew(run) ? await storiesOf(tx, run.id) : [] })),
  )
  const offered = (await tx.machines({ kind: 'slot', states: ['OFFERED'] })).map(({ data }) => data.name)
  const slots = createSlots(tx, offered.toSorted(), all)
  for (const running of all.filter(({ run }) => deps.scope.has(run.id))) {
    const { run } = running
    if (hasCrew(run)) {
      if (run.state === 'MONITORING' && !isHeld(run) && !(await dispatch(tx, deps, running, slots))) return
    } else if (run.state === 'WAITING' && run.data.slot === null) {
      const slot = await slots.take()
      if (slot === undefined) return
      await tx.queue(await tx.edit(run, { slot }))
    }
  }
}

/** Starts the stories of a Run that are ready; false when there are more of them than slots. */
async function dispatch(tx: Transaction, deps: Deps, { run, stories }: Running, slots: Slots): Promise<boolean> {
  const busy = new Set(stories.filter(holdsSlot).flatMap(filesOf))
  const waiting = new Set(ready(inOrderOf(run, stories)))
  for (;;) {
    const story = nextOf([...waiting], busy)
    if (story === undefined) return true
    const slot = await slots.take()
    if (slot === undefined) return false
    waiting.delete(story)
    for (const file of filesOf(story)) busy.add(file)
    // What has been kept of it stands on the base that it had.
    const { tip } = runIn(run, repositoryOf(story)).data
    const base = story.data.snapshot === null && tip !== null ? tip : story.data.base
    await moveStory(tx, deps.clock, story, { event: 'slot_assigned', data: { slot, base } })
  }
}

/** In the order of the plan, which a person may have changed since they were stored. */
function inOrderOf({ data }: Run, stories: readonly Story[]): readonly Story[] {
  const place = new Map((data.stories ?? []).map(({ id }, i) => [id, i]))
  const placeOf = ({ story }: Story) => place.get(story ?? '') ?? place.size
  return stories.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Those that go on before those that start; of these the ones whose dependencies are all there. */
function ready(stories: readonly Story[]): readonly Story[] {
  const done = new Set(stories.filter(({ state }) => state === 'DONE').map(({ story }) => story))
  const returning = stories.filter(({ state, data }) => state === 'SETUP' && data.slot === null)
  const starting = stories.filter(
    ({ state, data }) => state === 'QUEUED' && (data.planned?.depends_on ?? []).every((id) => done.has(id)),
  )
  return [...returning, ...starting]
}

/** One whose files nobody works on, when there is one. */
function nextOf(waiting: readonly Story[], busy: ReadonlySet<string>): Story | undefined {
  const free = waiting.find((story) => story.state === 'SETUP' || !filesOf(story).some((file) => busy.has(file)))
  return free ?? waiting[0]
}

function filesOf({ data }: Story): readonly string[] {
  return data.planned?.files_hint ?? []
}

function holdsSlot({ data }: Story): boolean {
  return data.slot !== null
}

interface Slots {
  /** The next free one, or one that a waiting story has given up. */
  take(): Promise<string | undefined>
}

function createSlots(tx: Transaction, slots: readonly string[], all: readonly Running[]): Slots {
  const stories = all.flatMap((running) => running.stories)
  const taken = new Set([...all.map(({ run }) => run.data.slot), ...stories.map(({ data }) => data.slot)])
  const free = slots.filter((slot) => !taken.has(slot))
  let idle: Story[] | null = null

  /** The stories whose slots nobody needs now; what they hold has been snapshotted. */
  async function findIdle(): Promise<Story[]> {
    const asking = await tx.machines({ kind: 'request', states: ['ESCALATED'] })
    const merging = await tx.machines({ kind: 'merge', states: ['QUEUED', 'MERGING'] })
    const runs = new Map(all.map(({ run }) => [run.id, run]))
    const waits = (story: Story) =>
      story.state === 'ESCALATED' ||
      asking.some(({ id }) => id === story.data.request) ||
      merging.some((merge: Merge) => merge.run === story.run && merge.story === story.story)
    return stories.filter((story) => holdsSlot(story) && runs.get(story.run)?.state === 'MONITORING' && waits(story))
  }

  return {
    async take() {
      const slot = free.shift()
      if (slot !== undefined) return slot
      idle ??= await findIdle()
      const story = idle.shift()
      if (story === undefined || story.data.slot === null) return undefined
      await tx.edit(story, { slot: null })
      return story.data.slot
    },
  }
}
