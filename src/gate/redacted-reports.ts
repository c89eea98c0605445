import type { Redact } from '../domain/secrets/redact.ts'
import type { TestReports } from '../ports/test-reports.ts'

/**
 * Removes secrets from names of tests at the earliest point, so that names are equal wherever they
 * are stored and compared.
 */
export function redactedReports(reports: TestReports, redact: Redact): TestReports {
  return {
    ...reports,
    read: ({ junit, output }) => reports.read({ junit: junit === null ? null : redact(junit), output: redact(output) }),
  }
}
