/** Where things are below ARTIFACT_DIR. */
export interface Places {
  readonly runs: string
  /** What the steps of verifications see, under names that say nothing. */
  readonly steps: string
  readonly outputs: string
  readonly cache: string
  readonly layers: string
  readonly tools: string
  readonly tests: string
}
