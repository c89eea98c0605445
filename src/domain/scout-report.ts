import type { Json } from './json.ts'

export type ScoutKind = 'codebase' | 'build'

/** `schema_version` of the reports; contracts give the fields, agents/tools/submit-report.ts checks them. */
export const scoutReportVersion = '1'

/** What a scout has answered. The payload passed the schema of its time: readers take a field that is not there for an empty one. */
export interface GivenReport {
  readonly scout: ScoutKind
  readonly question: string
  readonly payload: Json
}
