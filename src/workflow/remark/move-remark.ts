import { statesWith } from '../../domain/machine.ts'
import type { Remark, RemarkData, RemarkEvent } from '../../domain/remark/remark.ts'
import { remarkTable } from '../../domain/remark/remark.ts'
import { followedBy } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import { load } from '../machines.ts'

/** Moves a remark if its transition table allows it; otherwise does nothing. */
export async function moveRemark(
  tx: Transaction,
  remark: Remark,
  event: RemarkEvent,
  data: Partial<Pick<RemarkData, 'commit' | 'reply'>> = {},
): Promise<void> {
  if (!statesWith(remarkTable, event).includes(remark.state)) return
  await appendRemark(tx, await tx.move(remark, event, { data, next: 'rest' }))
}

export async function appendRemark(tx: Transaction, { run, story, state, data }: Remark): Promise<void> {
  const { finding: id, key, author, commit, reply } = data
  await tx.appendEvent({ run, story, type: 'remark', data: { id, key, author, state, commit, reply } })
}

/** The remarks that are findings of a story, by id. Those of a follow-up belong to another Run. */
export async function remarksOf(
  records: Records,
  { run: id, story, data }: Pick<Story, 'run' | 'story' | 'data'>,
): Promise<readonly Remark[]> {
  const held = new Set(data.reviews.code.findings.filter(({ by }) => by === 'person').map((finding) => finding.id))
  if (held.size === 0) return []
  const followed = followedBy(await load(records, 'run', id))
  const remarks = await records.machines({ kind: 'remark', run: followed?.run ?? id })
  const isIts = ({ story: of, data: { followUp } }: Remark) =>
    followed === null ? followUp === null && of === story : followUp === id
  return remarks.filter((remark) => isIts(remark) && held.has(remark.data.finding))
}
