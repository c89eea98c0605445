import type { Json } from '../json.ts'

export type ScoutKind = 'codebase' | 'build'

/** `schema_version` of the reports, whose fields agents/tools/submit-report.ts names and checks. */
export const scoutReportVersion = '1'

/**
 * What a scout has answered. The payload passed the schema of its time: readers take a field that
 * is not there for an empty one.
 */
export interface GivenReport {
  readonly scout: ScoutKind
  readonly question: string
  readonly payload: Json
}
