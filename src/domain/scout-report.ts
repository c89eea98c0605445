export type ScoutKind = 'codebase' | 'build'

/** `schema_version` of the reports, whose fields agents/tools/submit-report.ts names and checks. */
export const scoutReportVersion = '1'
