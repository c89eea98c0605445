import { runIn } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'
import { newStory, taskOf } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { storyId } from '../machines.ts'
import { moveRun, type RunMove } from '../run/move-run.ts'
import { schedule } from '../run/schedule.ts'
import { beginAcceptance } from './acceptance/begin-acceptance.ts'

type Deps = Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>

export interface NewStories {
  readonly stories: readonly PlannedStory[]
  readonly event?: RunMove['event']
}

/** Starts building the stories: MONITORING. */
export async function startStories(tx: Transaction, deps: Deps, run: Run, given: NewStories): Promise<void> {
  await moveRun(tx, run, storiesMove(run, given))
  await addStories(tx, deps, run, given.stories)
}

/** The transition of the Run to MONITORING with these stories. */
export function storiesMove({ data: { base, branch } }: Run, { stories, event = 'started' }: NewStories): RunMove {
  return { event, data: { stories, refusedPlans: 0 }, log: { base, branch }, next: 'rest' }
}

/** Creates a machine for each story; ready stories get their slots. */
export async function addStories(
  tx: Transaction,
  deps: Deps,
  run: Run,
  stories: readonly PlannedStory[],
): Promise<void> {
  for (const planned of stories) await addStory(tx, run, planned)
  const ids = stories.map(({ id }) => id)
  await tx.appendEvent({ run: run.id, story: null, type: 'stories', data: { count: ids.length, ids } })
  await schedule(tx, deps)
}

/** Adds a story that waits to be scheduled. */
export async function addStory(tx: Transaction, run: Run, planned: PlannedStory): Promise<void> {
  const data = newStory({
    name: planned.id,
    task: taskOf(planned),
    planned,
    dryRun: false,
    slot: null,
    base: baseFor(run, planned),
  })
  const id = storyId(run.id, planned.id)
  const story = await tx.create({ id, kind: 'story', run: run.id, story: planned.id, data }, 'rest')
  await beginAcceptance(tx, run, story)
}

/** The commit from which a story starts while its repository has no merge yet. */
export function baseFor(run: Run, { repository }: PlannedStory): string {
  const { base } = runIn(run, repository).data
  if (base === null) throw new Error(`run ${run.id} has not started`)
  return base
}
