import { movedTip, repositoryOf } from '../../domain/run/repositories.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Acts } from '../lane/decision.ts'
import { load } from '../machines.ts'
import { appendMerge } from './merge-queue.ts'

export async function moveMerge(tx: Transaction, act: Acts['move_merge']): Promise<void> {
  const { merge, event, data = {}, why } = act
  await appendMerge(tx, await tx.move(merge, event, { data, next: 'rest' }), why)
}

/** Records that the run branch, named `branch`, now points to a story's merged commit. */
export async function moveTip(tx: Transaction, act: Acts['move_tip']): Promise<void> {
  const run = await load(tx, 'run', act.run)
  await tx.edit(run, { ...movedTip(run, repositoryOf(act.story), act.sha), branch: act.branch })
}

/** Replaces the merged commit by the one with tests, until that is verified. */
export async function verifyAdded(
  tx: Transaction,
  { merge, plain, verification }: Acts['verify_added'],
): Promise<void> {
  await tx.move(merge, 'committed', { data: { commit: verification.commit, plain }, next: 'rest' })
  const { run, story } = merge
  await tx.create({ id: verification.runId, kind: 'verification', run, story, data: verification }, 'queue')
}
