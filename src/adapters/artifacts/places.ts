/** The layout of ARTIFACT_DIR. */
export interface Places {
  readonly runs: string
  /** Folders that the steps of verifications see; their names are random. */
  readonly steps: string
  readonly outputs: string
  readonly cache: string
  readonly layers: string
  readonly tools: string
  readonly tests: string
}
