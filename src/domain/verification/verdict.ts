import type { Integrity } from '../gate/gate-finding.ts'
import type { JsonObject } from '../json.ts'
import type { Outcome } from '../run/outcome.ts'
import type { AssuranceFacts, TriedTree } from './assurance.ts'
import type { UnnamedRun } from './test-results.ts'
import type { TestCounts } from './tests-seen.ts'

export const infraErrorTypes = [
  'sandbox_unavailable',
  'container_creation',
  'image_pull',
  'resource_exhaustion',
  'checkout_failed',
  'prepare_failed',
  'service_failed',
  'scout_failed',
  'agent_failed',
  'acceptance_not_run',
  'unknown',
] as const

export type InfraErrorType = (typeof infraErrorTypes)[number]

export interface InfraError {
  readonly errorType: InfraErrorType
  readonly errorMessage: string
}

/**
 * The result of a verification (seed: coding-agent-workflow, section 4). An INFRA_ERROR is never a
 * PASS and never a FAIL.
 */
export type Verdict =
  | { readonly status: 'PASS'; readonly runId: string; readonly tailLog: string }
  | {
      readonly status: 'FAIL'
      readonly runId: string
      readonly tailLog: string
      /** The words for a failure that the base commit has as well. */
      readonly alsoOnBase?: string | null
    }
  | ({ readonly status: 'INFRA_ERROR'; readonly runId: string; readonly tailLog: string | null } & InfraError)

export interface CommandRecord {
  readonly name: string
  readonly command: string
  readonly exit_code: number | null
  readonly duration_ms: number
  readonly timed_out: boolean
  /** The services that ran beside it; left out if it had none. */
  readonly services?: readonly ServiceRecord[]
  /** Left out when no results of tests were read. */
  readonly tests?: TestCounts
  /** Runs of its tests that no reader can tell test by test; left out when there are none. */
  readonly unnamed?: readonly UnnamedRun[]
}

export interface ServiceRecord {
  readonly name: string
  readonly ready_ms: number
  /** Of a service that ended before the step did; else null. */
  readonly exit_code: number | null
  /** Its log, relative to the folder of the verification. */
  readonly log: string
}

/** `manifest.json` of one verification; times are ISO 8601. */
export interface Manifest extends AssuranceFacts {
  readonly run_id: string
  readonly timestamp_start: string
  readonly timestamp_end: string
  readonly commit_sha: string
  readonly tree_sha: string
  readonly base_sha: string
  readonly status: Verdict['status']
  /** The same in words; left out by older versions. */
  readonly outcome?: Outcome
  readonly commands_executed: readonly CommandRecord[]
  /** Steps that had failing tests and were run again unchanged: how they ended before. */
  readonly reruns?: readonly CommandRecord[]
  /**
   * Of all steps; left out when no results were read. What the runners name is in
   * `logs/tests.json`.
   */
  readonly tests?: TestCounts
  /** Ids of tests that failed. */
  readonly failing?: readonly string[]
  /** Ids of tests that failed and passed in runs of the same commit. */
  readonly flaky?: readonly string[]
  /** Ids of failing tests that fail on the base commit, too. */
  readonly pre_existing?: readonly string[]
  /**
   * Those of them that were allowed to fail: by the configuration, or by a person for this Run.
   */
  readonly allowed?: readonly string[]
  /**
   * A FAIL that the base commit has as well: all `tests` that failed fail there, too; or its last
   * `step`, which names no failing test, does. Left out for any other verdict.
   */
  readonly also_on_base?: 'tests' | 'step'
  /** The steps on the base commit, when it was compared with. */
  readonly base?: {
    readonly commit_sha: string
    readonly tree_sha: string
    readonly status: 'PASS' | 'FAIL'
    readonly tests?: TestCounts
    readonly failing?: readonly string[]
    readonly commands_executed: readonly CommandRecord[]
  }
  /**
   * Further trees whose steps this verification has run, in the order in which they ended. Results
   * that were kept from an earlier run cost nothing.
   */
  readonly trees?: readonly TriedTree[]
  /**
   * Files of the base commit that decide about the steps as configuration does, as far as the steps
   * were seen to read them; the first 200.
   */
  readonly deciding_files?: readonly string[]
  /**
   * Whether it was traced on the base commit what the steps read, and `more` files than are listed.
   */
  readonly tracing?:
    | { readonly status: 'traced'; readonly more?: number }
    | { readonly status: 'not_traced'; readonly reason: string; readonly more?: number }
  /**
   * What the change does to the gate itself; only when it is green, and not for one slice of a
   * change.
   */
  readonly integrity?: Integrity
  /** The dependency layers that the steps saw; left out when the configuration has none. */
  readonly dependencies?: readonly { readonly layer: string; readonly outputs: readonly string[] }[]
  readonly platform: { readonly os: string; readonly arch: string; readonly sandbox: string; readonly image?: string }
  readonly limits: JsonObject
}

/** The verifier's whole answer, as `drydock verify --json` prints it. */
export interface VerifierResponse {
  readonly status: Verdict['status']
  readonly run_id: string
  readonly tail_log: string | null
  readonly artifact_paths: readonly string[] | null
  readonly manifest: Manifest | null
  /** It is not green, but no test failed twice: nobody's failure. */
  readonly only_flaky?: true
  readonly error_type?: InfraErrorType
  readonly error_message?: string
}
