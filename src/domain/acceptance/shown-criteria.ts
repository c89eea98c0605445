import type { Run } from '../run/run.ts'
import type { Story } from '../story/story.ts'
import type { Acceptance as AcceptanceMachine } from './acceptance.ts'
import type { Acceptance } from './acceptance-tests.ts'
import type { Criterion, Judgement } from './criteria.ts'

/** The state of a criterion, in words for people. */
export const criterionWords = [
  'unwritten',
  'written',
  'red on base',
  'green on base',
  'met',
  'not met',
  'disputed',
  'accepted',
  'untested',
  'dropped',
] as const

export type CriterionWord = (typeof criterionWords)[number]

/** A criterion as anybody may see it, without the content of its tests. */
export interface ShownCriterion extends Pick<Criterion, 'id' | 'text'> {
  readonly word: CriterionWord
  /**
   * The reason why the criterion has lost its test or never had one, as it was given; null
   * otherwise.
   */
  readonly why: string | null
  /** True if the tests decide, since a person has accepted or written them. */
  readonly confirmed: boolean
  /** The last decision about its tests; null where nobody has decided since they were written. */
  readonly judged: { readonly decision: Judgement['decision']; readonly by: string } | null
}

export interface Showing {
  readonly run: Pick<Run, 'data'>
  readonly story: Pick<Story, 'state' | 'data'>
  readonly acceptance: AcceptanceMachine
  /** Results of the last verification that has run the tests of criteria; null before one. */
  readonly result: Acceptance | null
}

export function shownCriteria(showing: Showing): readonly ShownCriterion[] {
  return showing.acceptance.data.criteria.map((criterion) => {
    const { id, text, judged, confirmed = false } = criterion
    const by = judged && { decision: judged.decision, by: judged.by ?? 'architect' }
    return { id, text, word: wordOf(showing, criterion), why: whyOf(criterion), confirmed, judged: by ?? null }
  })
}

/** Tests that stand are still in use, and their reason would reveal what they look at. */
function whyOf({ why, judged }: Criterion): string | null {
  const reason = judged?.decision === 'stands' ? '' : judged?.reason
  return why ?? (reason || null)
}

function wordOf(
  { run, story, acceptance, result }: Showing,
  { id, state, behaviour, judged }: Criterion,
): CriterionWord {
  if (state !== 'tested') return state
  if (acceptance.state !== 'READY') return 'written'
  // With tests that a person has supplied, the digest covers both sets.
  const isCurrent = result?.digest === acceptance.data.digest || run.data.acceptance !== undefined
  const found = isCurrent ? result?.criteria?.find((each) => each.id === id) : undefined
  if (found === undefined) return behaviour === 'old' ? 'green on base' : 'red on base'
  if (found.status === 'met') return 'met'
  const { reviews, unmet } = story.data
  if (reviews.code.findings.some((each) => each.id === found.finding && each.state === 'accepted')) return 'accepted'
  const isAsked = story.state === 'ACCEPTANCE_REVIEW' || unmet?.findings?.includes(found.finding ?? '')
  return judged?.decision === 'stands' || isAsked ? 'disputed' : 'not met'
}

/** One line for people: `C1 met: double(2) is 4`, followed by the decision about its tests. */
export function criterionLine({ id, text, word, why, confirmed, judged }: ShownCriterion): string {
  const by = judged === null ? null : `${judged.decision} by ${judged.by}`
  const more = [by, confirmed && by === null ? 'confirmed' : null, why].filter(Boolean).join(', ')
  return `${id} ${word}: ${text}${more === '' ? '' : ` (${more})`}`
}
