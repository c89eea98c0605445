import { limits } from '../limits.ts'
import { capText } from '../text.ts'
import type { Acceptance as AcceptanceMachine } from './acceptance.ts'
import type { Acceptance } from './acceptance-tests.ts'
import type { Criterion, Judgement } from './criteria.ts'

/** A criterion of a story that an architect was asked to write tests for, as a receipt lists it. */
export interface ReceiptCriterion {
  readonly id: string
  readonly text: string
  /** The result in the receipt's verification, or the reason why no test of it was run. */
  readonly result: 'met' | 'not_met' | 'untested' | 'dropped'
  /** True if the tests decide, since a person has accepted or written them. */
  readonly confirmed: boolean
  /** The last decision about its tests; null where nobody has decided since they were written. */
  readonly judged: (Omit<Judgement, 'by'> & { readonly by: string }) | null
}

/** The criteria of a story after its last verification. */
export function receiptCriteria(
  { data: { criteria } }: AcceptanceMachine,
  result: Acceptance | undefined,
): readonly ReceiptCriterion[] {
  return criteria.slice(0, limits.writtenTests.criteria).map((criterion) => {
    const { id, text, confirmed = false, judged } = criterion
    return {
      id,
      text: cap(text),
      result: resultOf(criterion, result),
      confirmed,
      judged: judged === undefined ? null : judgementOf(judged),
    }
  })
}

function resultOf({ id, state }: Criterion, result: Acceptance | undefined): ReceiptCriterion['result'] {
  if (state === 'dropped') return state
  return result?.criteria?.find((each) => each.id === id)?.status ?? 'untested'
}

function judgementOf({ decision, reason, by = 'architect' }: Judgement): NonNullable<ReceiptCriterion['judged']> {
  return { decision, by: capText(by, limits.receipt.nameChars), reason: cap(reason) }
}

function cap(text: string): string {
  return capText(text, limits.receipt.textChars)
}
