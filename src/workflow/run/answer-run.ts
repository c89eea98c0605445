import type { Json } from '../../domain/json.ts'
import type { Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'

/** Stores the answer of a Run without a story; the Run's next step ends it. */
export async function answerRun(tx: Transaction, id: string, answer: Json): Promise<void> {
  const run = await load(tx, 'run', id)
  await tx.queue(await tx.edit(run, { answer }))
}
