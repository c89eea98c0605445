import type { TestReport } from '../domain/verification/test-results.ts'

/** The text that a verification step left about its tests. Untrusted code wrote it. */
export interface ReportText {
  /** The text of the JUnit file that the step names, null without one. */
  readonly junit: string | null
  /** The step's stdout and stderr together. */
  readonly output: string
}

/**
 * Finds out which tests a verification step ran. Untrusted code wrote the text, so it may have any
 * size and any content.
 */
export interface TestReports {
  /** Identifies the readers: another version may read the same text differently. */
  version(): string
  /**
   * A readable JUnit file wins; otherwise the result combines the findings of all readers of the
   * output. Null when no reader knows the text. Never rejects. Takes linear time.
   */
  read(text: ReportText): Promise<TestReport | null>
}
