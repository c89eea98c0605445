export type ScoutKind = 'codebase' | 'build'

/** `schema_version` of the reports; contracts give the fields, agents/tools/submit-report.ts checks them. */
export const scoutReportVersion = '1'
