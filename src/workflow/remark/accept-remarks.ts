import { type Acceptance, acceptByHuman } from '../../domain/gate/finding.ts'
import { followedBy, isEnded, type Run } from '../../domain/run/run.ts'
import type { Transaction } from '../../ports/store.ts'
import { load, storiesOf } from '../machines.ts'
import { appendResult } from '../run/run-result.ts'
import { moveRemark } from './move-remark.ts'

/**
 * A person takes the work as it is, whatever these remarks ask for. The story of a Run that works
 * on them knows it, too; that of `run` itself is told by the caller.
 */
export async function acceptRemarks(tx: Transaction, run: Run, { ids, by }: Acceptance): Promise<void> {
  const about = followedBy(run)?.run ?? run.id
  const remarks = (await tx.machines({ kind: 'remark', run: about })).filter(({ data }) => ids.includes(data.finding))
  for (const remark of remarks) await moveRemark(tx, remark, 'accepted')
  for (const id of new Set(remarks.flatMap(({ data }) => data.followUp ?? []))) {
    const [story] = await storiesOf(tx, id)
    if (story === undefined || id === run.id) continue
    const { code } = story.data.reviews
    const taken = remarks.filter(({ data }) => data.followUp === id).map(({ data }) => data.finding)
    const findings = acceptByHuman(code.findings, { ids: taken, by })
    await tx.edit(story, { reviews: { ...story.data.reviews, code: { ...code, findings } } })
    const worker = await load(tx, 'run', id)
    if (isEnded(worker.state)) await appendResult(tx, worker)
  }
}
