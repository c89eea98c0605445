import type { Lane } from '../../domain/lane/lane.ts'
import type { Amount, Cap } from '../../domain/run/budget.ts'
import { budgetOf, type Run, type RunData } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { list, load, storiesOf, storyOf } from '../machines.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { moveStory } from '../story/move-story.ts'
import { budgetReached } from './budget-reached.ts'
import { queueHeld } from './hold-run.ts'

type Deps = Pick<WorkflowDependencies, 'clock'>

/**
 * A budget is reached: the lane waits without a job, and its story, or without one its Run, is
 * PAUSED until somebody raises it.
 */
export async function pauseLane(
  tx: Transaction,
  deps: Deps,
  { lane, cap, wanted }: { readonly lane: Lane; readonly cap: Cap; readonly wanted: Amount },
): Promise<void> {
  const short = await tx.move(lane, 'short_of_budget', { data: { shortOf: cap, wanted }, next: 'rest' })
  const budget = budgetOf(await load(tx, 'run', lane.run))
  const { run: id, story: name } = lane
  for (const reached of await budgetReached(tx, budget, short))
    await tx.appendEvent({ run: id, story: name, type: 'paused', data: { reason: 'budget', ...reached } })
  const story = await storyOf(tx, lane)
  if (story) await moveStory(tx, deps.clock, story, { event: 'paused' })
  await restIfPaused(tx, id)
}

/**
 * When nothing of a Run goes on since a budget is reached, the Run is PAUSED, and whoever follows
 * it hears so. One that a human pauses comes to rest otherwise (`settleHeld`).
 */
export async function restIfPaused(tx: Transaction, id: string): Promise<void> {
  if ((await tx.openJobs(id)) > 0) return
  const run = await load(tx, 'run', id)
  if (run.data.held !== null) return
  if (run.state !== 'SCOPING' && run.state !== 'STORY_GENERATION' && run.state !== 'MONITORING') return
  const short = (await list(tx, 'lane', { run: id, states: ['ASKING'] })).some(({ data }) => data.shortOf !== null)
  if (short) await appendResult(tx, await moveRun(tx, run, { event: 'paused', next: 'rest' }))
}

/**
 * Goes on with all of a Run that is PAUSED; every lane that was short of something finds out for
 * itself whether it is enough now.
 */
export async function wakePaused(
  tx: Transaction,
  { clock }: Deps,
  run: Run,
  data: Partial<RunData> = {},
): Promise<Run> {
  const released = { ...data, held: null }
  const woken =
    run.state === 'PAUSED'
      ? await moveRun(tx, run, { event: 'unpaused', data: released, next: 'rest' })
      : await tx.edit(run, released)
  for (const story of await storiesOf(tx, run.id)) {
    if (story.state === 'PAUSED') await moveStory(tx, clock, story, { event: 'unpaused' })
  }
  for (const lane of await list(tx, 'lane', { run: run.id, states: ['ASKING'] })) {
    if (lane.data.shortOf === null) continue
    await tx.move(lane, 'again', { data: { shortOf: null, wanted: null }, next: 'queue' })
  }
  await queueHeld(tx, run.data.held ?? [])
  return woken
}
