import { isObject, type Json, type JsonObject } from '../json.ts'
import type { GivenReport } from './scout-report.ts'

/** The findings of scouts by subject, one line each. */
export interface ScoutFindings {
  readonly answers: readonly string[]
  readonly repoMap: readonly string[]
  readonly targetFiles: readonly string[]
  readonly apis: readonly string[]
  readonly constraints: readonly string[]
  readonly slices: readonly string[]
  readonly priorArt: readonly string[]
  readonly verificationTips: readonly string[]
  readonly hypotheses: readonly string[]
}

/**
 * The combined findings of all reports, each line once. A field that a report lacks adds nothing.
 */
export function scoutFindings(reports: readonly Pick<GivenReport, 'payload'>[]): ScoutFindings {
  const found = reports.map(({ payload }) => findingsOf(objectOf(payload)))
  const all = (pick: (each: ScoutFindings) => readonly string[]) => [...new Set(found.flatMap(pick))]
  return {
    answers: all(({ answers }) => answers),
    repoMap: all(({ repoMap }) => repoMap),
    targetFiles: all(({ targetFiles }) => targetFiles),
    apis: all(({ apis }) => apis),
    constraints: all(({ constraints }) => constraints),
    slices: all(({ slices }) => slices),
    priorArt: all(({ priorArt }) => priorArt),
    verificationTips: all(({ verificationTips }) => verificationTips),
    hypotheses: all(({ hypotheses }) => hypotheses),
  }
}

function findingsOf(payload: JsonObject): ScoutFindings {
  const map = objectOf(payload.repo_map)
  const files = objectsOf(map.relevant_files)
  const boundaries = objectOf(payload.change_boundaries)
  const slices = objectsOf(boundaries.safe_slices)
  const [build, test, failure] = [payload.build, payload.test, payload.failure_analysis].map(objectOf)
  const rootCause = textsOf([failure?.root_cause])
  return {
    answers: textsOf([payload.answer]),
    repoMap: [
      ...files.map(({ path, relevance, purpose }) => sentence(path, sentence(relevance, purpose))),
      ...Object.entries(objectOf(map.dependency_graph)).flatMap(([file, on]) => dependsOn(file, textsOf(on))),
    ],
    targetFiles: [
      ...files.flatMap(({ path, relevance }) => (relevance === 'primary' ? textsOf([path]) : [])),
      ...slices.flatMap((slice) => textsOf(slice.files)),
      ...textsOf(failure?.affected_files),
    ],
    apis: textsOf(map.entry_points),
    constraints: [
      ...objectsOf(payload.risk_zones).map(riskLine),
      ...textsOf(boundaries.ordering_constraints),
      ...conventionLines(objectOf(payload.conventions)),
      ...objectsOf(payload.environment_issues).map(({ severity, issue, suggested_fix }) =>
        sentence(severity, `${textsOf([issue, suggested_fix]).join('; ')}`),
      ),
    ],
    slices: slices.map(({ id, description, files: of }) =>
      sentence(id, `${textsOf([description]).join('')} (${textsOf(of).join(', ')})`),
    ),
    priorArt: objectsOf(payload.prior_art).map(({ file, description, relevance }) =>
      sentence(file, textsOf([description, relevance]).join('; ')),
    ),
    verificationTips: [
      ...textsOf(payload.verification_tips),
      ...commandLines(build?.commands),
      ...textsOf([build?.notes]),
      ...commandLines(test?.commands),
      ...textsOf([test?.coverage_command, test?.notes]),
      ...textsOf(failure?.suggested_investigation),
    ],
    hypotheses: [
      ...textsOf(payload.hypotheses),
      ...rootCause,
      ...(failure?.is_flaky === true ? [`It is flaky. ${textsOf([failure.flaky_reason]).join('')}`.trim()] : []),
    ],
  }
}

function dependsOn(file: string, on: readonly string[]): readonly string[] {
  return on.length === 0 ? [] : [`${file} depends on ${on.join(', ')}`]
}

function riskLine({ file, start_line, end_line, risk_level, invariants, rationale }: JsonObject): string {
  const place = typeof start_line === 'number' ? `${file}:${start_line}-${end_line}` : `${file}`
  return sentence(
    `${place} (${risk_level ?? 'unknown'} risk)`,
    [...textsOf(invariants), ...textsOf([rationale])].join('; '),
  )
}

function conventionLines({ naming, patterns, anti_patterns }: JsonObject): readonly string[] {
  return [
    ...textsOf([naming]).map((text) => `naming: ${text}`),
    ...textsOf(patterns).map((text) => `pattern: ${text}`),
    ...textsOf(anti_patterns).map((text) => `not here: ${text}`),
  ]
}

function commandLines(commands: Json | undefined): readonly string[] {
  return Object.entries(objectOf(commands)).flatMap(([name, command]) =>
    textsOf([command]).map((text) => `${name}: \`${text}\``),
  )
}

function sentence(subject: Json | undefined, rest: Json | undefined): string {
  return textsOf([subject, rest]).join(': ')
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

function textsOf(value: Json | readonly (Json | undefined)[] | undefined): readonly string[] {
  const items = Array.isArray(value) ? value : []
  return items.filter((item): item is string => typeof item === 'string' && item.trim() !== '')
}
