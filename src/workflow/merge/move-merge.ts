import { movedTip, repositoryOf } from '../../domain/run/repositories.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Acts } from '../lane/decision.ts'
import { load } from '../machines.ts'
import { appendMerge } from './merge-queue.ts'

/** A merge is over, one way or another. */
export async function moveMerge(tx: Transaction, act: Acts['move_merge']): Promise<void> {
  const { merge, event, data = {}, why } = act
  await appendMerge(tx, await tx.move(merge, event, { data, next: 'rest' }), why)
}

/** The run branch, whose name is `branch`, has moved to a story's merged commit. */
export async function moveTip(tx: Transaction, act: Acts['move_tip']): Promise<void> {
  const run = await load(tx, 'run', act.run)
  await tx.edit(run, { ...movedTip(run, repositoryOf(act.story), act.sha), branch: act.branch })
}

/** The commit with the tests takes the place of the merged one, until it is verified. */
export async function verifyAdded(
  tx: Transaction,
  { merge, plain, verification }: Acts['verify_added'],
): Promise<void> {
  await tx.move(merge, 'committed', { data: { commit: verification.commit, plain }, next: 'rest' })
  const { run, story } = merge
  await tx.create({ id: verification.runId, kind: 'verification', run, story, data: verification }, 'queue')
}
