import type { TestReports } from '../../ports/test-reports.ts'
import { shipped } from '../../processes/installation.ts'
import { readersVersion } from './readers-version.ts'

/** The version of the readers, which `scripts/bundle.ts` defines in a bundle. */
declare const versionOfReaders: string | undefined

/** The readers are loaded with the first report, so that a task starts without them. */
export function createTestReports(): TestReports {
  let version: string | undefined
  return {
    version: () =>
      (version ??=
        typeof versionOfReaders === 'string' ? versionOfReaders : readersVersion(shipped('src/adapters/test-reports'))),
    read: async (text) => (await import('./read-report.ts')).readReport(text),
  }
}
