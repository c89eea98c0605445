import { limits } from '../limits.ts'
import type { Verdict } from '../verification/verdict.ts'

/**
 * The numbers of failed verifications of a story: in a row since the last REPLAN or PASS, and in
 * total since the last PASS of the whole change.
 */
export interface Failures {
  readonly consecutive: number
  readonly loops: number
}

export const noFailures: Failures = { consecutive: 0, loops: 0 }

export type VerdictEvent = 'passed' | 'failed' | 'replan' | 'hard_stop' | 'infra_error'

interface Kind {
  /** True if flaky tests alone decided the verdict. */
  readonly isFlaky?: boolean
  /** True if the verdict is about the whole change: neither a slice nor the base itself. */
  readonly isWhole?: boolean
}

/**
 * The event of the story machine for a verdict, and the counters after it. The hard stop wins when
 * both limits fire at once. INFRA_ERROR changes no counter. A FAIL that only flaky tests decided
 * counts towards the hard stop, but forces no REPLAN (seed: coding-agent-workflow, invariants 5, 6
 * and 10).
 */
export function countVerdict(
  status: Verdict['status'],
  before: Failures,
  { isFlaky = false, isWhole = true }: Kind = {},
): { event: VerdictEvent; failures: Failures } {
  switch (status) {
    case 'PASS':
      return { event: 'passed', failures: isWhole ? noFailures : { consecutive: 0, loops: before.loops } }
    case 'INFRA_ERROR':
      return { event: 'infra_error', failures: before }
    case 'FAIL':
      return countFailure({ consecutive: before.consecutive + (isFlaky ? 0 : 1), loops: before.loops + 1 })
    default:
      throw new Error(`unknown verdict ${status satisfies never}`)
  }
}

function countFailure(failures: Failures): { event: VerdictEvent; failures: Failures } {
  if (failures.loops >= limits.verifyLoops) return { event: 'hard_stop', failures }
  if (failures.consecutive >= limits.failuresBeforeReplan) {
    return { event: 'replan', failures: { consecutive: 0, loops: failures.loops } }
  }
  return { event: 'failed', failures }
}
