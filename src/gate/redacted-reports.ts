import type { Redact } from '../domain/secrets/redact.ts'
import type { TestReports } from '../ports/test-reports.ts'

/**
 * Names of tests without secrets from the first on, so that they are the same wherever they are
 * kept and compared.
 */
export function redactedReports(reports: TestReports, redact: Redact): TestReports {
  return {
    ...reports,
    read: ({ junit, output }) => reports.read({ junit: junit === null ? null : redact(junit), output: redact(output) }),
  }
}
