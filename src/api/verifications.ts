import { z } from 'zod'
import { infraErrorTypes } from '../domain/verification/verdict.ts'
import { outcomeSchema } from './outcome.ts'

/** An ISO 8601 time. */
const time = z.string()

const testCounts = z.object({ ran: z.int().optional(), passed: z.int(), failed: z.int(), skipped: z.int() })

export const commandRecordSchema = z.object({
  name: z.string(),
  command: z.string(),
  exit_code: z.int().nullable(),
  duration_ms: z.number(),
  timed_out: z.boolean(),
  /** The services of the step; `exit_code` is set for one that ended before the step did. */
  services: z
    .array(z.object({ name: z.string(), ready_ms: z.number(), exit_code: z.int().nullable(), log: z.string() }))
    .optional(),
  tests: testCounts.optional(),
  /** Test runs without named tests; null if they were not counted, either. */
  unnamed: z.array(z.object({ runner: z.string(), tests: z.int().nullable(), ran: z.int().optional() })).optional(),
})

/** Ids of tests, as the repository's own test runner names them. Untrusted. */
const testIds = z.array(z.string())

const proofSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('proven'), failing: testIds, passing: testIds.optional() }),
  z.object({ status: z.literal('not_proven'), passing: testIds.optional() }),
  z.object({ status: z.literal('not_applicable'), reason: z.string() }),
])

/** `manifest.json` of one verification. */
const canaryStatus = z.enum(['heard', 'deaf', 'not_tried'])

const manifestSchema = z.object({
  run_id: z.string(),
  timestamp_start: time,
  timestamp_end: time,
  commit_sha: z.string(),
  tree_sha: z.string(),
  base_sha: z.string(),
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
  outcome: outcomeSchema.optional(),
  commands_executed: z.array(commandRecordSchema),
  /** Earlier runs of steps with failing tests, which were repeated without a change. */
  reruns: z.array(commandRecordSchema).optional(),
  tests: testCounts.optional(),
  failing: testIds.optional(),
  flaky: testIds.optional(),
  pre_existing: testIds.optional(),
  /** Failed tests that are permitted to fail. */
  allowed: testIds.optional(),
  /**
   * Set for a FAIL that the base commit has, too: in all of its failing tests, or in its last step.
   */
  also_on_base: z.enum(['tests', 'step']).optional(),
  base: z
    .object({
      commit_sha: z.string(),
      tree_sha: z.string(),
      status: z.enum(['PASS', 'FAIL']),
      tests: testCounts.optional(),
      failing: testIds.optional(),
      commands_executed: z.array(commandRecordSchema),
    })
    .optional(),
  /** Files of the base commit that decide about its steps, and whether their reads were traced. */
  deciding_files: z.array(z.string()).optional(),
  tracing: z
    .discriminatedUnion('status', [
      z.object({ status: z.literal('traced'), more: z.int().optional() }),
      z.object({ status: z.literal('not_traced'), reason: z.string(), more: z.int().optional() }),
    ])
    .optional(),
  /** The effect of the change on the gate itself. */
  integrity: z
    .object({
      findings: z.array(
        z.object({
          id: z.string(),
          kind: z.string(),
          severity: z.string(),
          file: z.string(),
          claim: z.string(),
          evidence: z.string(),
        }),
      ),
      proof: proofSchema.optional(),
    })
    .optional(),
  /** The result of the base commit's tests and configuration on the change's sources. */
  hybrid: z
    .object({
      status: z.enum(['held', 'behaviour_changed', 'not_built', 'not_tried']),
      failing: testIds,
      reason: z.string().optional(),
      with_dependencies: z.literal(true).optional(),
    })
    .optional(),
  /**
   * The check that steps without named tests still read the files that they read on the base
   * commit.
   */
  checkers: z
    .object({
      status: z.enum(['looked_at', 'not_looked_at']),
      steps: z.array(z.string()),
      reason: z.string().optional(),
    })
    .optional(),
  /** The check that steps fail when one of their tests fails. */
  canaries: z
    .object({
      status: canaryStatus,
      reason: z.string().optional(),
      steps: z.array(
        z.object({
          step: z.string(),
          status: canaryStatus,
          files: z.array(z.string()),
          reason: z.string().optional(),
        }),
      ),
    })
    .optional(),
  /** Tests hidden from all agents: their result, the number of their files, and their SHA-256. */
  acceptance: z
    .object({
      status: z.enum(['met', 'not_met', 'not_run']),
      files: z.int(),
      digest: z.string(),
      reason: z.string().optional(),
      criteria: z
        .array(z.object({ id: z.string(), status: z.enum(['met', 'not_met']), finding: z.string().optional() }))
        .optional(),
    })
    .optional(),
  /** The result of reverting each hunk of the change's sources alone. */
  hunks: z
    .object({
      proven: z.int(),
      unproven: z.array(z.object({ file: z.string(), start: z.int(), end: z.int(), text: z.string() })),
      not_tried: z.int(),
      left: z.array(z.object({ file: z.string(), start: z.int(), end: z.int(), text: z.string() })).optional(),
    })
    .optional(),
  /** Further trees on which this verification ran steps, with the duration of each. */
  trees: z.array(z.object({ name: z.string(), duration_ms: z.int() })).optional(),
  /** Probes that show whether a step executes each body and branch of the changed sources. */
  reach: z
    .object({
      reached: z.int(),
      unreached: z.array(z.object({ file: z.string(), start: z.int(), end: z.int(), text: z.string() })),
      not_tried: z.array(z.string()),
    })
    .optional(),
  files: z
    .array(z.object({ path: z.string(), is: z.enum(['source', 'test', 'fixture', 'config', 'other']) }))
    .optional(),
  /** The source of the files' roles: their use, or their names alone. */
  roles: z.enum(['by use', 'by name']).optional(),
  dependencies: z.array(z.object({ layer: z.string(), outputs: z.array(z.string()) })).optional(),
  platform: z.object({ os: z.string(), arch: z.string(), sandbox: z.string(), image: z.string().optional() }),
  limits: z.record(z.string(), z.unknown()),
})

/** GET /api/verifications/:run_id: one verification in full. */
export const verificationSchema = z.object({
  run_id: z.string(),
  run: z.string(),
  story: z.string().nullable(),
  of: z.enum(['change', 'merge', 'request']),
  sha: z.string(),
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
  /** A warning for a PASS that proves little: `0 tests ran`, or `no test results were read`. */
  tests_remark: z.string().nullable(),
  error_type: z.enum(infraErrorTypes).nullable(),
  error_message: z.string().nullable(),
  /**
   * Additional checks and their results, in words; `more` names tests or lines of code. Untrusted.
   */
  assurance: z.array(z.object({ name: z.string(), text: z.string(), more: z.array(z.string()) })),
  /** The last 200 lines of all output. Untrusted. */
  tail: z.string().nullable(),
  /** Null after an INFRA_ERROR before anything ran. */
  manifest: manifestSchema.nullable(),
  finished_at: time,
})

export type Verification = z.infer<typeof verificationSchema>

/** GET /api/runs/:run/verifications: newest first, without tail and manifest. */
export const verificationListSchema = z.object({
  verifications: z.array(
    verificationSchema.omit({ tail: true, manifest: true, assurance: true }).extend({
      /** The total duration of its commands. */
      duration_ms: z.number(),
      /** Name of the step that failed; null without one. */
      failed_step: z.string().nullable(),
    }),
  ),
})

export type VerificationList = z.infer<typeof verificationListSchema>

/**
 * GET /api/verifications/:run_id/files: the manifest, the logs, and the files that its steps left.
 */
export const fileListSchema = z.object({
  files: z.array(
    z.object({
      /** A path below ARTIFACT_DIR. Untrusted. */
      path: z.string(),
      bytes: z.number(),
    }),
  ),
  /** `here`: from the server's machine; `kept`: from the blob store. */
  from: z.enum(['here', 'kept']),
})

export type FileList = z.infer<typeof fileListSchema>

/** Query of …/file: one of `files`. The response is the content of the file. */
export const fileQuerySchema = z.object({ path: z.string().min(1).max(4_096) })

/** Query of …/log: a step by its number and name as in `logs/` (`step-01-test`), or all steps. */
export const logQuerySchema = z.object({ step: z.string().max(200).optional() })

/** GET /api/verifications/:run_id/log: the end of a log. */
export const logSchema = z.object({
  /** The end of the log. Untrusted. */
  text: z.string(),
  /** `log`: from the file; `tail`: the file is gone, and the database only has this end. */
  from: z.enum(['log', 'tail']),
  /**
   * The size of the part in front of the text; null if nothing was cut, or if the size is unknown.
   */
  skipped: z.object({ bytes: z.int(), lines: z.int() }).nullable(),
})

export type Log = z.infer<typeof logSchema>
