import { z } from 'zod'
import { defineAnsweredLater, stated } from './tool.ts'

/** Characters of one text of a report. */
export const answerChars = 4_000

const text = z.string().max(answerChars)
const said = text.default('')
const list = z.array(text).max(100).default([])
const line = z.int().min(1)
const command = text.nullable().default(null)

const answer = stated(text.describe('What you found, in a few sentences.'))

const nothingSaid = { error: 'say in `answer` what you found' }

/**
 * Scout A's report, schema_version "1". An answer or the relevant files are required; every other
 * field is empty when left out.
 */
export const codebaseReportInput = () =>
  z
    .strictObject({
      answer,
      repo_map: z
        .strictObject({
          relevant_files: z
            .array(
              z.strictObject({
                path: text,
                purpose: said,
                relevance: z.enum(['primary', 'secondary', 'context']).default('primary'),
              }),
            )
            .max(100)
            .default([]),
          entry_points: list.describe('APIs and other entry points, with file and line'),
          dependency_graph: z.record(z.string(), list).default({}).describe('file → the files it depends on'),
        })
        .optional(),
      risk_zones: z
        .array(
          z.strictObject({
            file: text,
            start_line: line.default(1),
            end_line: line.default(1),
            risk_level: z.enum(['low', 'medium', 'high']).default('medium'),
            complexity: said,
            dependencies: list,
            invariants: list,
            rationale: said,
          }),
        )
        .max(50)
        .default([]),
      change_boundaries: z
        .strictObject({
          safe_slices: z
            .array(
              z.strictObject({ id: text, files: list, description: said, complexity: said, order: z.int().default(1) }),
            )
            .max(50)
            .default([]),
          ordering_constraints: list,
        })
        .prefault({}),
      conventions: z.strictObject({ naming: said, patterns: list, anti_patterns: list }).prefault({}),
      prior_art: z
        .array(z.strictObject({ file: text, description: said, relevance: said }))
        .max(50)
        .default([]),
      verification_tips: list,
      hypotheses: list,
    })
    .refine((report) => report.answer?.trim() || report.repo_map, nothingSaid)
    .transform((report) => ({
      ...report,
      repo_map: report.repo_map ?? { relevant_files: [], entry_points: [], dependency_graph: {} },
    }))

/** Scout B's report, schema_version "1". */
export const buildReportInput = () =>
  z
    .strictObject({
      answer,
      build: z
        .strictObject({
          detected_system: said,
          commands: z.strictObject({ install: command, build: command, clean: command }).prefault({}),
          prerequisites: list,
          notes: said,
        })
        .prefault({}),
      test: z
        .strictObject({
          detected_framework: said,
          commands: z.strictObject({ all: command, unit: command, integration: command }).prefault({}),
          coverage_command: command,
          notes: said,
        })
        .prefault({}),
      failure_analysis: z
        .strictObject({
          root_cause: text,
          affected_files: list,
          suggested_investigation: list,
          is_flaky: z.boolean().default(false),
          flaky_reason: command,
        })
        .nullable()
        .default(null),
      environment_issues: z
        .array(
          z.strictObject({
            issue: text,
            severity: z.enum(['blocking', 'warning']).default('warning'),
            suggested_fix: said,
          }),
        )
        .max(50)
        .default([]),
    })
    .refine(
      ({ answer: words, build, test, failure_analysis: failure }) =>
        words?.trim() ||
        build.detected_system ||
        test.commands.all ||
        test.detected_framework ||
        test.notes ||
        build.notes ||
        failure,
      nothingSaid,
    )

const purpose = 'Hand in your report and end. The last call of its turn.'

export const submitCodebaseReport = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_report',
  purpose,
  input: codebaseReportInput,
  roles: ['codebase_scout'],
})

export const submitBuildReport = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_report',
  purpose,
  input: buildReportInput,
  roles: ['build_scout'],
})
