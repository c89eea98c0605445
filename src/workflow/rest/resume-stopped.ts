import type { Again } from '../../domain/run/again.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunModels } from '../../domain/run/run-models.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { startNextMerge } from '../merge/merge-queue.ts'
import { moveRun } from '../run/move-run.ts'
import { queueRested } from './queue-rested.ts'

interface Resuming {
  readonly models: RunModels | null
  /** Null if a person resumes the Run: then its retry pauses start from the first. */
  readonly again: Again | null
}

/**
 * Resumes a Run that is in ERROR. A crew continues where it was, with every waiting step; any other
 * Run waits for a slot.
 */
export async function resumeStopped(
  tx: Transaction,
  deps: DecisionDependencies,
  run: Run,
  { models, again }: Resuming,
): Promise<void> {
  if (run.data.policy.slot !== 'story') return returnRun(tx, run, { models, again })
  await moveRun(tx, run, { event: 'resumed', data: { error: null, rest: null, models, again }, next: 'rest' })
  await queueRested(tx, run.data.rest?.machines ?? [])
  await startNextMerge(tx, deps)
}

/** Makes the Run wait for a slot, unless it has one. */
export async function returnRun(tx: Transaction, run: Run, { models, again }: Resuming): Promise<void> {
  const data = { error: null, models, again }
  await moveRun(tx, run, { event: 'queued_again', data, next: run.data.slot === null ? 'rest' : 'queue' })
}
