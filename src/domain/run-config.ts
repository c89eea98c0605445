export interface VerificationStep {
  readonly name: string
  readonly command: string
  readonly timeoutSec: number
  /** Relative to ARTIFACT_DIR. */
  readonly junit: string | null
}

/** The values of the configuration that a Run's work needs; plain JSON, stored with the Run, so that they hold for all of it. */
export interface RunConfig {
  /** The file that it comes from, as errors and reports name it. */
  readonly source: string
  readonly toolTimeoutSec: number
  readonly planningIterations: number
  readonly codingIterations: number
  readonly steps: readonly VerificationStep[]
  readonly sandbox: { readonly readOnlyPaths: readonly string[] }
}
