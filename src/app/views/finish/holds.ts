import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import type { LandingGoal } from '../../../domain/landing/landing.ts'
import { isSettled } from '../../../domain/remark/remark.ts'
import { followedBy, isEnded, type Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'
import { type RemarkNow, readRemarks } from '../remarks.ts'

/** A reason why the result of a Run cannot land until a person has decided. */
export type Hold =
  | { readonly kind: 'finding'; readonly run: Run; readonly story: Story; readonly finding: TrackedFinding }
  | { readonly kind: 'comment'; readonly remark: RemarkNow }
  /** A Run that has not ended and will add to the branch. */
  | { readonly kind: 'follow_up'; readonly run: Run; readonly isOfForge: boolean }

/**
 * Everything that holds the result of a Run. Every interface and every way to land uses this one
 * rule.
 */
export async function readHolds(records: Records, run: Run, stories: readonly Story[]): Promise<readonly Hold[]> {
  const following = (await records.machines({ kind: 'run' })).filter((each) => followedBy(each)?.run === run.id)
  const added = following.filter(({ state }) => state === 'DONE')
  const ofAdded = await Promise.all(
    added.map(async (each) => findingsOf(each, await records.machines({ kind: 'story', run: each.id }))),
  )
  const remarks = await readRemarks(records, run.id)
  const isOfForge = (worker: Run) =>
    remarks.every((remark) => remark.followUp?.run !== worker.id || isSaidAtForge(remark))
  return [
    ...findingsOf(run, stories),
    ...ofAdded.flat(),
    ...remarks.filter(({ state }) => !isSettled(state)).map((remark): Hold => ({ kind: 'comment', remark })),
    ...following
      .filter(({ state }) => !isEnded(state))
      .map((worker): Hold => ({ kind: 'follow_up', run: worker, isOfForge: isOfForge(worker) })),
  ]
}

/**
 * The holds that apply to this way to land. Comments at a forge do not hold its own change: it is
 * updated in the meantime, so that people there can review it.
 */
export function holdsFor(holds: readonly Hold[], goal: LandingGoal['kind']): readonly Hold[] {
  if (goal !== 'change') return holds
  return holds.filter((hold) => {
    if (hold.kind === 'finding') return true
    return hold.kind === 'comment' ? !isSaidAtForge(hold.remark) : !hold.isOfForge
  })
}

/**
 * An identifier that stays equal while the hold lasts. A follow-up is identified by its comments.
 */
export function holdKey(hold: Hold): string {
  if (hold.kind === 'finding') return `finding ${hold.run.id} ${hold.finding.id}`
  return hold.kind === 'comment' ? `comment ${hold.remark.run} ${hold.remark.key}` : 'follow_up'
}

function isSaidAtForge({ source }: RemarkNow): boolean {
  return source.kind === 'forge' || source.kind === 'ci'
}

/**
 * Open findings of the gate on the result. Findings on single stories of a crew are left out, since
 * the architect decides about them before the merge.
 */
function findingsOf(run: Run, stories: readonly Story[]): readonly Hold[] {
  return stories.flatMap((story) =>
    (run.data.policy.result === 'merged' && story.state !== 'DONE' ? [] : heldByGate(story.data.reviews.code.findings))
      .filter(({ state }) => state === 'open')
      .map((finding): Hold => ({ kind: 'finding', run, story, finding })),
  )
}
