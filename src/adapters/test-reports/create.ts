import type { TestReports } from '../../ports/test-reports.ts'

/** The readers are loaded with the first report: a task starts without them. */
export function createTestReports(): TestReports {
  return { read: async (text) => (await import('./read-report.ts')).readReport(text) }
}
