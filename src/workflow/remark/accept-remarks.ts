import { type Acceptance, acceptByHuman } from '../../domain/gate/finding.ts'
import { followedBy, isEnded, type Run } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'
import { load, storiesOf } from '../machines.ts'
import { appendResult } from '../run/run-result.ts'
import { moveRemark } from './move-remark.ts'

/**
 * Accepts the work for a person despite these remarks. The stories that they hold are updated; the
 * caller updates those of `run` itself, unless its crew has ended.
 */
export async function acceptRemarks(tx: Transaction, run: Run, { ids, by, reason }: Acceptance): Promise<void> {
  const about = followedBy(run)?.run ?? run.id
  const remarks = (await tx.machines({ kind: 'remark', run: about })).filter(({ data }) => ids.includes(data.finding))
  for (const remark of remarks) await moveRemark(tx, remark, 'accepted')
  for (const [id, taken] of Map.groupBy(remarks, ({ data }) => data.followUp ?? about)) {
    const holder = await load(tx, 'run', id)
    if (id === run.id && !(run.data.policy.reviewer !== null && isEnded(run.state))) continue
    await acceptIn(tx, holder, { ids: taken.map(({ data }) => data.finding), by, reason })
    if (isEnded(holder.state)) await appendResult(tx, holder)
  }
}

async function acceptIn(tx: Transaction, { id }: Run, acceptance: Acceptance): Promise<void> {
  for (const story of await storiesOf(tx, id)) {
    const { code } = story.data.reviews
    if (!code.findings.some((finding) => finding.state === 'open' && acceptance.ids.includes(finding.id))) continue
    const findings = acceptByHuman(code.findings, acceptance)
    await tx.edit(story, { reviews: { ...story.data.reviews, code: { ...code, findings } } })
  }
}
