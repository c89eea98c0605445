import { claimText } from '../../domain/claim.ts'
import { sentence } from '../../domain/sentence.ts'
import { claimOf, type Story } from '../../domain/story/story.ts'
import { whyEnded } from '../../domain/story/why-ended.ts'
import type { Transaction } from '../../ports/store.ts'
import { moveRemark, remarksOf } from './move-remark.ts'

/**
 * Settles the remarks that a verified commit on the branch has closed; those that the editor only
 * answered wait for a person.
 */
export async function settleRemarks(tx: Transaction, story: Story, commit: string | null): Promise<void> {
  const findings = new Map(story.data.reviews.code.findings.map((finding) => [finding.id, finding]))
  for (const remark of await remarksOf(tx, story)) {
    const finding = findings.get(remark.data.finding)
    const reply = finding?.answer?.reply ?? null
    if (finding?.state === 'closed' && commit !== null) await moveRemark(tx, remark, 'settled', { commit, reply })
    else if (finding?.state === 'accepted') await moveRemark(tx, remark, 'accepted')
    else await moveRemark(tx, remark, 'answered', { reply })
  }
}

/** Ends the remarks of a story without a commit; a retry reopens them. */
export async function endRemarks(tx: Transaction, story: Story): Promise<void> {
  const { state } = story
  const claim = state === 'NO_CHANGE' ? claimOf(story.data) : null
  for (const remark of await remarksOf(tx, story)) {
    if (state === 'QUEUED') await moveRemark(tx, remark, 'reopened', { reply: null })
    else if (claim !== null) await moveRemark(tx, remark, 'answered', { reply: claimText(claim) })
    else await moveRemark(tx, remark, 'stuck', { reply: howItEnded(story) })
  }
}

function howItEnded({ id, state, data: { stop } }: Story): string {
  const ended = `${id} ended ${state}`
  return stop === null ? `${ended}.` : sentence`${ended}: ${whyEnded(stop)}.`
}
