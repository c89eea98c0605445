import type { Drydock } from '../app/drydock.ts'
import type { ReceiptReader } from '../ports/receipts.ts'
import type { Answering } from '../server/http/route-answers.ts'

/** What the pages about results and their receipts are answered with. */
export async function finishViews(
  drydock: Drydock,
  reader: ReceiptReader,
): Promise<Pick<Answering, 'finish' | 'receipts'>> {
  const { createReceiptViews } = await import('../app/views/receipts/receipts.ts')
  const { readFinish } = await import('../app/views/finish/finish.ts')
  const receipts = createReceiptViews(drydock, reader)
  return { receipts, finish: (run) => readFinish({ drydock, reader, receipts }, run) }
}
