import { z } from 'zod'
import { defineTool } from './tool.ts'

const text = z.string().max(4_000)
const list = z.array(text).max(100)
const line = z.int().min(1)

/** Scout A's report, schema_version "1". */
export const codebaseReportInput = z.strictObject({
  repo_map: z.strictObject({
    relevant_files: z
      .array(z.strictObject({ path: text, purpose: text, relevance: z.enum(['primary', 'secondary', 'context']) }))
      .max(100),
    entry_points: list.describe('APIs and other ways in, with file and line'),
    dependency_graph: z.record(z.string(), list).describe('file → the files it depends on'),
  }),
  risk_zones: z
    .array(
      z.strictObject({
        file: text,
        start_line: line,
        end_line: line,
        risk_level: z.enum(['low', 'medium', 'high']),
        complexity: text,
        dependencies: list,
        invariants: list,
        rationale: text,
      }),
    )
    .max(50),
  change_boundaries: z.strictObject({
    safe_slices: z
      .array(z.strictObject({ id: text, files: list, description: text, complexity: text, order: z.int() }))
      .max(50),
    ordering_constraints: list,
  }),
  conventions: z.strictObject({ naming: text, patterns: list, anti_patterns: list }),
  prior_art: z.array(z.strictObject({ file: text, description: text, relevance: text })).max(50),
  verification_tips: list,
  hypotheses: list,
})

/** Scout B's report, schema_version "1". */
export const buildReportInput = z.strictObject({
  build: z.strictObject({
    detected_system: text,
    commands: z.strictObject({ install: text.nullable(), build: text.nullable(), clean: text.nullable() }),
    prerequisites: list,
    notes: text,
  }),
  test: z.strictObject({
    detected_framework: text,
    commands: z.strictObject({ all: text.nullable(), unit: text.nullable(), integration: text.nullable() }),
    coverage_command: text.nullable(),
    notes: text,
  }),
  failure_analysis: z
    .strictObject({
      root_cause: text,
      affected_files: list,
      suggested_investigation: list,
      is_flaky: z.boolean(),
      flaky_reason: text.nullable(),
    })
    .nullable(),
  environment_issues: z
    .array(z.strictObject({ issue: text, severity: z.enum(['blocking', 'warning']), suggested_fix: text }))
    .max(50),
})

const purpose = 'Hand in your report and end. The only call of its turn.'

export const submitCodebaseReport = defineTool({
  kind: 'terminal',
  name: 'submit_report',
  purpose,
  input: codebaseReportInput,
  roles: ['codebase_scout'],
})

export const submitBuildReport = defineTool({
  kind: 'terminal',
  name: 'submit_report',
  purpose,
  input: buildReportInput,
  roles: ['build_scout'],
})
