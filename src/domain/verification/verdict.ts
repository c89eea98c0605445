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
      /** The message about a failure that the base commit has as well. */
      readonly alsoOnBase?: string | null
    }
  | ({ readonly status: 'INFRA_ERROR'; readonly runId: string; readonly tailLog: string | null } & InfraError)

export interface CommandRecord {
  readonly name: string
  readonly command: string
  readonly exit_code: number | null
  readonly duration_ms: number
  readonly timed_out: boolean
  /** The services that ran beside the command; left out without any. */
  readonly services?: readonly ServiceRecord[]
  /** Left out when no test results were read. */
  readonly tests?: TestCounts
  /** Runs of tests without test names; left out without any. */
  readonly unnamed?: readonly UnnamedRun[]
}

export interface ServiceRecord {
  readonly name: string
  readonly ready_ms: number
  /** For a service that ended before the step did; otherwise null. */
  readonly exit_code: number | null
  /** Path of the log, relative to the folder of the verification. */
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
  /** The outcome in words; left out by older versions. */
  readonly outcome?: Outcome
  readonly commands_executed: readonly CommandRecord[]
  /** Earlier results of steps that had failing tests and ran again unchanged. */
  readonly reruns?: readonly CommandRecord[]
  /**
   * Sum over all steps; left out when no results were read. `logs/tests.json` has the named tests.
   */
  readonly tests?: TestCounts
  /** Ids of tests that failed. */
  readonly failing?: readonly string[]
  /** Ids of tests that both failed and passed in runs of the same commit. */
  readonly flaky?: readonly string[]
  /** Ids of failing tests that fail on the base commit, too. */
  readonly pre_existing?: readonly string[]
  /**
   * Ids of those failing tests that were allowed to fail: by the configuration, or by a person for
   * this Run.
   */
  readonly allowed?: readonly string[]
  /**
   * Set for a FAIL that the base commit has as well: all failing `tests` fail there, too; or the
   * last `step`, which names no failing test, does.
   */
  readonly also_on_base?: 'tests' | 'step'
  /** The steps on the base commit, if they were compared. */
  readonly base?: {
    readonly commit_sha: string
    readonly tree_sha: string
    readonly status: 'PASS' | 'FAIL'
    readonly tests?: TestCounts
    readonly failing?: readonly string[]
    readonly commands_executed: readonly CommandRecord[]
  }
  /**
   * Further trees whose steps ran for this verification, in the order in which they ended. Results
   * kept from an earlier run cost nothing.
   */
  readonly trees?: readonly TriedTree[]
  /**
   * Files of the base commit that decide about the steps as configuration does, as far as the steps
   * were seen to read them; the first 200.
   */
  readonly deciding_files?: readonly string[]
  /**
   * The result of tracing the steps' reads on the base commit, with the number of files that are
   * not listed.
   */
  readonly tracing?:
    | { readonly status: 'traced'; readonly more?: number }
    | { readonly status: 'not_traced'; readonly reason: string; readonly more?: number }
  /**
   * The change's effect on the gate itself; only for a green change, and not for a single slice.
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
  /**
   * True if the result is not green, but no test failed twice, so the failure is not the change's.
   */
  readonly only_flaky?: true
  readonly error_type?: InfraErrorType
  readonly error_message?: string
}
