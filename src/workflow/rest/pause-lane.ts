import { type Lane, shortageOf } from '../../domain/lane/lane.ts'
import type { RunRest } from '../../domain/rest.ts'
import type { Amount, Cap } from '../../domain/run/budget.ts'
import { budgetOf, isHeld, type Run, type RunData } from '../../domain/run/run.ts'
import type { RunState } from '../../domain/run/run-machine.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storiesOf, storyOf } from '../machines.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { moveStory } from '../story/move-story.ts'
import { announceSuspension } from './announce-suspension.ts'
import { budgetReached } from './budget-reached.ts'
import { queueRested } from './queue-rested.ts'

/** The states in which a model works for the Run itself. */
const spending: readonly RunState[] = ['INTERVIEW', 'SCOPING', 'STORY_GENERATION', 'MONITORING']

type Deps = Pick<WorkflowDependencies, 'clock'>

/**
 * Pauses at a budget's limit: the lane waits without a job, and its story, or without a story its
 * Run, is PAUSED until somebody raises the budget.
 */
export async function pauseLane(
  tx: Transaction,
  deps: Deps,
  { lane, cap, wanted }: { readonly lane: Lane; readonly cap: Cap; readonly wanted: Amount },
): Promise<void> {
  const rest = { because: 'budget', since: deps.clock.now().toISOString(), cap, wanted } as const
  const short = await tx.move(lane, 'short_of_budget', { data: { rest }, next: 'rest' })
  await announceSuspension(tx, lane, { rest })
  const budget = budgetOf(await load(tx, 'run', lane.run))
  const { run: id, story: name } = lane
  for (const reached of await budgetReached(tx, budget, short))
    await tx.appendEvent({ run: id, story: name, type: 'paused', data: { reason: 'budget', ...reached } })
  const story = await storyOf(tx, lane)
  if (story) await moveStory(tx, deps.clock, story, { event: 'paused' })
  await restIfPaused(tx, deps, id)
}

/**
 * Pauses the Run once a budget has stopped all its work, and reports it by an event. A human's
 * pause is handled elsewhere (`settleHeld`).
 */
export async function restIfPaused(tx: Transaction, { clock }: Deps, id: string): Promise<void> {
  if (!(await tx.isIdle(id))) return
  const run = await load(tx, 'run', id)
  if (isHeld(run)) return
  if (!spending.includes(run.state)) return
  const asking = await tx.machines({ kind: 'lane', run: id, states: ['ASKING'] })
  const machines = asking.filter(({ data }) => shortageOf(data) !== null).map((lane) => lane.id)
  if (machines.length === 0) return
  const rest = { because: 'budget', since: clock.now().toISOString(), machines } as const
  const caps = [...new Set(asking.flatMap(({ data }) => shortageOf(data)?.cap ?? []))]
  const log = { by: 'budget', caps }
  await appendResult(tx, await moveRun(tx, run, { event: 'paused', data: { rest }, log, next: 'rest' }))
}

/**
 * Continues a PAUSED Run; each lane that lacked budget checks for itself whether it has enough now.
 */
export async function wakePaused(
  tx: Transaction,
  { clock }: Deps,
  run: Run,
  data: Partial<RunData> = {},
): Promise<Run> {
  const { now, later } = released(run)
  const freed = { ...data, rest: later }
  const woken =
    run.state === 'PAUSED'
      ? await moveRun(tx, run, { event: 'unpaused', data: freed, next: 'rest' })
      : await tx.edit(run, freed)
  for (const story of await storiesOf(tx, run.id)) {
    if (story.state === 'PAUSED') await moveStory(tx, clock, story, { event: 'unpaused' })
  }
  for (const lane of await tx.machines({ kind: 'lane', run: run.id, states: ['ASKING'] })) {
    if (shortageOf(lane.data) === null) continue
    await tx.move(lane, 'again', { data: { rest: null }, next: 'queue' })
  }
  await queueRested(tx, now)
  return woken
}

/**
 * The machines that continue when a Run is released, and the rest that remains: machines that wait
 * for a slot after an error continue when the Run has started.
 */
function released({ data: { rest } }: Run): { readonly now: readonly string[]; readonly later: RunRest | null } {
  if (rest?.because === 'error') return { now: [], later: rest }
  return { now: rest?.machines ?? [], later: rest?.under ?? null }
}
