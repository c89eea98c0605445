import type { NewRemark } from '../../domain/remark/remark.ts'
import type { Drydock } from '../drydock.ts'
import type { HandedOver } from './hand-over.ts'

/** A batch of remarks about a Run's change, or about that of one of its stories. */
export interface Reviewing {
  /** A Run, `<run>/<story>`, or a story of the latest spec. */
  readonly id: string
  readonly remarks: readonly NewRemark[]
}

export interface SubmittedReview {
  readonly run: string
  /** null where the remarks are about the whole Run. */
  readonly story: string | null
  readonly handed: HandedOver
  /** The Run that works on the remarks if theirs has ended. */
  readonly followUp: string
}

/**
 * Hands remarks in, all at once. A key that the Run has already is no second remark. What becomes
 * of them is read by `readRemarks`, and told by the event `remark`. DrydockError `not_found`,
 * `bad_usage`, `already_done` when nothing can be built on the Run.
 */
export function submitReview(_drydock: Drydock, _reviewing: Reviewing): Promise<SubmittedReview> {
  throw new Error('not yet')
}
