import { limits } from '../limits.ts'
import { acceptByHuman, type Finding, type TrackedFinding } from './finding.ts'

/** The reason why a change's green result is worth less than it looks. */
export type GateFindingKind =
  | 'tests_removed'
  | 'tests_renamed'
  | 'tests_skipped'
  | 'tests_unread'
  | 'fewer_assertions'
  | 'configuration'
  | 'suppressed'
  | 'rewritten_in_step'
  | 'no_proof'
  | 'no_tests'
  | 'behaviour_changed'
  | 'expectation_changed'
  | 'judges_itself'
  | 'deaf_test'
  | 'results_disturbed'
  | 'untried'
  | 'disguised'
  | 'unread'
  | 'acceptance'

/**
 * A finding of the gate. A reviewer must accept it by its id. The id depends on the content of the
 * change alone, so the same change has the same ids in every verification.
 */
export interface GateFinding extends Finding {
  readonly kind: GateFindingKind
}

/** A finding that has no id yet. The id is made from `identity`. */
export interface Suspicion extends Omit<GateFinding, 'id' | 'severity'> {
  readonly identity: readonly string[]
}

/** The result of running the change's tests without the change. */
export type Proof =
  | ({ readonly status: 'proven'; readonly failing: readonly string[] } & Passing)
  | ({ readonly status: 'not_proven' } & Passing)
  | { readonly status: 'not_applicable'; readonly reason: string }

interface Passing {
  /**
   * Ids of new tests that also pass without the change; left out when there are none, and by older
   * versions.
   */
  readonly passing?: readonly string[]
}

/** The gate's findings about a change, in addition to its verdict. */
export interface Integrity {
  readonly findings: readonly GateFinding[]
  /** Left out for a merge, whose parts were proven already. */
  readonly proof?: Proof
}

/**
 * The findings of a review after the gate has inspected the change again. Findings that are gone
 * are closed, accepted ones stay accepted, and the reviewer's own stay as they are.
 */
export function trackGate(
  before: readonly TrackedFinding[],
  {
    found,
    accepted,
    round,
  }: {
    readonly found: readonly GateFinding[]
    /** Ids that a person accepted in advance. */
    readonly accepted: readonly string[]
    readonly round: number
  },
): readonly TrackedFinding[] {
  const now = new Map(found.map((finding) => [finding.id, finding]))
  const known = before.map((finding): TrackedFinding => {
    if (finding.by !== 'gate' || finding.state === 'accepted') return finding
    return { ...finding, state: now.has(finding.id) ? 'open' : 'closed' }
  })
  const taken = new Set(before.map(({ id }) => id))
  const fresh = found.filter(({ id }) => !taken.has(id))
  const added = fresh.map(
    ({ kind: _kind, ...finding }): TrackedFinding => ({ ...finding, by: 'gate', state: 'open', round }),
  )
  const ofGate = [...known, ...added].filter(({ by }) => by === 'gate').map(({ id }) => id)
  const ids = ofGate.filter((id) => accepted.includes(id))
  return acceptByHuman([...known, ...added], { ids, by: undefined })
}

/** The gate's findings against the present change, including accepted ones. */
export function heldByGate(tracked: readonly TrackedFinding[]): readonly TrackedFinding[] {
  return tracked.filter(({ by, state }) => by === 'gate' && state !== 'closed')
}

/** The findings that nobody has accepted. */
export function unaccepted(found: readonly GateFinding[], tracked: readonly TrackedFinding[]): readonly GateFinding[] {
  const accepted = new Set(tracked.filter(({ state }) => state === 'accepted').map(({ id }) => id))
  return found.filter(({ id }) => !accepted.has(id))
}

/** A list for the evidence of a finding, cut to a readable length. */
export function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, limits.gate.listed).map((line) => `- ${line.slice(0, limits.gate.lineChars)}`)
  const more = lines.length - shown.length
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}
