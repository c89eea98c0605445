import type { Json } from '../../domain/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'

/** Gives a Run without a story its answer; its next step ends it. */
export async function answerRun(tx: Transaction, id: string, answer: Json): Promise<void> {
  const run = await load(tx, 'run', id)
  await tx.enqueue(await tx.edit(run, { answer }))
}
