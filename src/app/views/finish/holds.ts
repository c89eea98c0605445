import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import type { LandingGoal } from '../../../domain/landing/landing.ts'
import { isSettled } from '../../../domain/remark/remark.ts'
import { followedBy, isEnded, type Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'
import { type RemarkNow, readRemarks } from '../remarks.ts'

/** Keeps the result of a Run from landing until a person has decided about it. */
export type Hold =
  | { readonly kind: 'finding'; readonly run: Run; readonly story: Story; readonly finding: TrackedFinding }
  | { readonly kind: 'comment'; readonly remark: RemarkNow }
  /** A Run that will add to the branch. */
  | { readonly kind: 'follow_up'; readonly run: Run; readonly isOfForge: boolean }

/** Everything that holds the result of a Run: the one rule for every door and every way out. */
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
 * Those that hold this way out. What is said at a forge is decided there: its change is brought up
 * to date meanwhile, so that people can look.
 */
export function holdsFor(holds: readonly Hold[], goal: LandingGoal['kind']): readonly Hold[] {
  if (goal !== 'change') return holds
  return holds.filter((hold) => {
    if (hold.kind === 'finding') return true
    return hold.kind === 'comment' ? !isSaidAtForge(hold.remark) : !hold.isOfForge
  })
}

/** The same for as long as it holds. A follow-up belongs to its comments. */
export function holdKey(hold: Hold): string {
  if (hold.kind === 'finding') return `finding ${hold.run.id} ${hold.finding.id}`
  return hold.kind === 'comment' ? `comment ${hold.remark.run} ${hold.remark.key}` : 'follow_up'
}

function isSaidAtForge({ source }: RemarkNow): boolean {
  return source.kind === 'forge' || source.kind === 'ci'
}

/**
 * The architect of a crew decides about a story's findings before it is merged. Findings by the
 * tests of the Run's base about all that was merged come later.
 */
function findingsOf(run: Run, stories: readonly Story[]): readonly Hold[] {
  return stories.flatMap((story) =>
    (run.data.policy.result === 'merged' && story.state !== 'DONE' ? [] : heldByGate(story.data.reviews.code.findings))
      .filter(({ state }) => state === 'open')
      .map((finding): Hold => ({ kind: 'finding', run, story, finding })),
  )
}
