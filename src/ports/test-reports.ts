import type { TestReport } from '../domain/verification/test-results.ts'

/**
 * Finds out which tests a verification step ran. Untrusted code wrote the text, so it may have any
 * size and any content.
 */
export interface TestReports {
  /**
   * `junit` is the text of the JUnit file that the step names, null without one. `output` is the
   * step's stdout and stderr together. A readable JUnit file wins; otherwise the result joins the
   * findings of all readers of the output. Null when no reader knows the text. Never throws. Takes
   * time in proportion to the text.
   */
  read(input: { readonly junit: string | null; readonly output: string }): TestReport | null
}
