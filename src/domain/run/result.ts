import type { Claim } from '../claim.ts'
import type { Json } from '../json.ts'
import type { StoryState } from '../story/story-machine.ts'
import type { TestCounts } from '../verification/tests-seen.ts'
import type { Verdict } from '../verification/verdict.ts'
import type { ReachedBound } from './budget.ts'
import type { GoneBranch } from './gone-branch.ts'
import type { Outcome } from './outcome.ts'
import type { PauseSignal } from './pause-cause.ts'
import type { RepositoryResult } from './repository.ts'
import type { RunError, RunRequest } from './run.ts'
import type { RunState } from './run-machine.ts'

/**
 * The result of a Run: the last line of `--json`, and the source of exit codes. Optional fields are
 * left out where they do not apply, and by older versions.
 */
export interface Result {
  /** The Run's state; for a verification alone, its verdict. */
  readonly status: RunState | Verdict['status']
  readonly kind: RunRequest['kind']
  /** The branch that was handed over. */
  readonly branch: string | null
  readonly base: string | null
  /** Each repository of a Run over several, its own first. */
  readonly repositories?: readonly RepositoryResult[]
  readonly stories: readonly StoryResult[]
  readonly tokens: number
  /** null when the price of a call is unknown. */
  readonly cost_usd: number | null
  /** Files that `--apply` left in the working tree. */
  readonly applied?: readonly string[]
  /** The diff of a dry run. */
  readonly diff?: string
  readonly error?: RunError
  /**
   * The answer of a Run without a story to build: a verifier's response, a scout's report, the
   * stories, a written spec, or the gaps of a vague spec.
   */
  readonly answer?: Json
  /** The editor's claim, for a task that ended without a change. */
  readonly claim?: Claim
  /** In PAUSED: the side that the Run waits for, and the bounds that are reached. */
  readonly paused_by?: 'user' | 'budget' | null
  /** The signal that paused the Run; left out for a pause by a person. */
  readonly paused_signal?: PauseSignal
  /** The person who paused the Run; left out for a signal, and by older versions. */
  readonly paused_person?: string
  readonly paused?: readonly (ReachedBound & { readonly story: string | null })[]
  /** Added later if the branch has been deleted since. */
  readonly gone?: GoneBranch
  readonly outcome?: Outcome
}

export interface StoryResult {
  readonly id: string
  readonly state: StoryState
  /** The further repository of the story; left out for the Run's own. */
  readonly repository?: string
  readonly run_id: string | null
  /** The last verified commit; for a spec's story, the merged one. */
  readonly sha?: string | null
  /** The verdict of the last verification. */
  readonly verdict?: Verdict['status'] | null
  /** Null when no test results were read. */
  readonly tests?: TestCounts | null
  /** Number of verifications. */
  readonly attempts: number
  /** This field and the next three are set for a spec's stories only. */
  readonly title?: string
  readonly reviews?: number
  readonly tokens?: number
  readonly cost_usd?: number | null
  readonly summary?: string
  /** Changed files that the plan does not name; the total number when only the first are listed. */
  readonly outside_plan?: readonly string[]
  readonly outside_plan_count?: number
  /** Findings of the gate, accepted or open. */
  readonly findings?: readonly StoryFinding[]
  /** True if a snapshot keeps a change of a story that ended without DONE. */
  readonly kept?: boolean
  readonly stuck_report?: string
  readonly error_type?: string
  readonly error_message?: string
}

export interface StoryFinding {
  readonly id: string
  readonly state: 'open' | 'accepted' | 'closed'
  readonly file?: string
  readonly claim: string
  readonly evidence?: string
}
