import type { Json } from '../json.ts'

export type ScoutKind = 'codebase' | 'build'

/** `schema_version` of the reports, whose fields agents/tools/submit-report.ts names and checks. */
export const scoutReportVersion = '1'

/**
 * A scout's answer. The payload passed the schema of its time, so readers treat a missing field as
 * empty.
 */
export interface GivenReport {
  readonly scout: ScoutKind
  readonly question: string
  readonly payload: Json
}
