import type { TestReport } from '../domain/verification/test-results.ts'

/**
 * Reads which tests a verification step ran. What it reads was written by code that is not trusted:
 * it may be of any size and say anything.
 */
export interface TestReports {
  /**
   * `junit` is the text of the JUnit file that the step names, null without one; `output` is what
   * the step printed on stdout and stderr together. A JUnit file that can be read wins; else the
   * answer joins all that the output's readers know. Null when nothing in it is known. Never
   * throws; takes time in proportion to the text.
   */
  read(input: { readonly junit: string | null; readonly output: string }): TestReport | null
}
