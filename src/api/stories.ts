import { z } from 'zod'
import { requestKinds, requestStates } from '../domain/request/request.ts'
import { storyAcceptanceSchema } from './acceptance.ts'
import { commit } from './lines.ts'
import { storyLineSchema, transitionSchema } from './runs.ts'
import { roleSpendingSchema } from './spending.ts'

/** An ISO 8601 time. */
const time = z.string()
const verdict = z.enum(['APPROVED', 'NEEDS_CHANGES', 'REJECTED'])

export const planSchema = z.object({
  behaviour_change: z.string(),
  acceptance_criteria: z.array(z.string()),
  non_goals: z.array(z.string()),
  slices: z.array(z.string()),
  files: z.array(z.string()),
  tests: z.array(z.string()),
  hypothesis: z.string().optional(),
})

export type Plan = z.infer<typeof planSchema>

export const findingSchema = z.object({
  id: z.string(),
  severity: z.enum(['blocker', 'major', 'minor']),
  file: z.string(),
  line: z.int().optional(),
  claim: z.string(),
  evidence: z.string(),
  /** `closed` is resolved, `accepted` is accepted without a change. */
  state: z.enum(['open', 'closed', 'accepted']),
  /** Set for a finding of the gate or of a person; only they can close it, and no reviewer can. */
  by: z.enum(['gate', 'person']).optional(),
  /** The author of a person's remark, and the editor's last reply to it. */
  author: z.string().optional(),
  answer: z.object({ settled: z.boolean(), reply: z.string() }).optional(),
  /** Set if a human accepted it instead of the reviewer. */
  accepted_by: z.literal('human').optional(),
  /** The name of that human's token, on a hub. */
  accepter: z.string().optional(),
  /** The round that raised it. */
  round: z.int(),
})

export type Finding = z.infer<typeof findingSchema>

/** All rounds of one kind of review. */
export const reviewSchema = z.object({
  kind: z.enum(['plan', 'code', 'completion']),
  /**
   * The number of times the work was sent back since it was last approved or a human was asked. At
   * `most_returned`, a human is asked.
   */
  returned: z.int(),
  most_returned: z.int(),
  /** The number of times the work was sent back since the story began or was retried. */
  sent_back: z.int(),
  /** The number of times a human was asked because `most_returned` was reached. */
  humans_asked: z.int(),
  /** The last reviewed commit. */
  sha: z.string().nullable(),
  findings: z.array(findingSchema),
})

export type Review = z.infer<typeof reviewSchema>

/** One question to the architect, or one round of a review. In order of time. */
export const storyRequestSchema = z.object({
  id: z.string(),
  kind: z.enum(requestKinds),
  round: z.int(),
  state: z.enum(requestStates),
  /** The commit that it refers to. */
  sha: z.string(),
  verdict: verdict.nullable(),
  /** The architect's response. Untrusted Markdown. */
  response: z.string().nullable(),
  /** Key of its lane, for the timeline. */
  lane: z.string(),
  escalation: z.string().nullable(),
})

export type StoryRequest = z.infer<typeof storyRequestSchema>

/** One verification of a story's change, or of its merge. In order of time. */
export const storyVerificationSchema = z.object({
  run_id: z.string(),
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
  sha: z.string(),
  finished_at: time,
  /** The total duration of its commands in milliseconds. */
  duration_ms: z.int(),
  of: z.enum(['change', 'merge']),
})

export type StoryVerification = z.infer<typeof storyVerificationSchema>

export const scoutReportSchema = z.object({
  id: z.string(),
  scout: z.enum(['codebase', 'build']),
  question: z.string(),
  state: z.enum(['ASKED', 'RUNNING', 'ANSWERED', 'FAILED', 'CANCELLED']),
  /** The number of the attempt, out of 3. */
  attempt: z.int(),
  /** The results of earlier tries. */
  problems: z.array(z.string()),
  /** The report as it was submitted (domain/scout/scout-report.ts); null without one. */
  report: z.unknown(),
})

export type ScoutReport = z.infer<typeof scoutReportSchema>

export const contextFileSchema = z.object({
  n: z.int(),
  /** `scout report`, `plan`, `replan`, `success` or `stuck`. */
  milestone: z.string(),
  /** Untrusted Markdown. */
  content: z.string(),
})

/** GET /api/runs/:run/stories/:story: one story in full. A task's story is `task`. */
export const storyDetailSchema = storyLineSchema.extend({
  run: z.string(),
  last_event: z.int(),
  /** The description of the story, as planned or requested. */
  content: z.string(),
  /** The acceptance criteria. */
  acceptance_criteria: z.array(z.string()),
  files_hint: z.array(z.string()),
  constraints: z.array(z.string()),
  non_goals: z.array(z.string()),
  /** Stories that depend on it. */
  dependents: z.array(z.string()),
  /** The current plan; null until the first one. */
  plan: planSchema.nullable(),
  /** Earlier plans, newest first. */
  earlier_plans: z.array(planSchema),
  hypotheses: z.array(z.string()),
  base: z.string().nullable(),
  /** The newest snapshot; null until the first one. */
  sha: z.string().nullable(),
  failures: z.object({ consecutive: z.int(), loops: z.int() }),
  reviews: z.array(reviewSchema),
  requests: z.array(storyRequestSchema),
  runs: z.array(storyVerificationSchema).describe('Verifications'),
  scouts: z.array(scoutReportSchema),
  context_files: z.array(contextFileSchema),
  /** The state of its hidden tests; null if nobody writes any. */
  acceptance: storyAcceptanceSchema.nullable(),
  /** The editor's summary of its finished change. Untrusted Markdown. */
  summary: z
    .object({
      text: z.string(),
      files: z.array(z.string()),
      outside_plan: z.array(z.string()),
      tests: z.array(z.string()),
    })
    .nullable(),
  /** Untrusted Markdown. */
  stuck_report: z.string().nullable(),
  /** The reason why it ended without DONE, or why its editor was stopped, with figures. */
  stopped_because: z.string().nullable(),
  /** The number of times its merge was sent back. */
  merge_returns: z.int(),
  spending_by_role: z.array(roleSpendingSchema),
  /** Moves of the story, newest first. */
  transitions: z.array(transitionSchema),
})

export type StoryDetail = z.infer<typeof storyDetailSchema>

/** Two descendants of the Run's base commit to compare; absent for the default ones. */
export const diffQuerySchema = z.object({ from: commit.optional(), to: commit.optional() })

/** GET …/diff: the difference of two commits. */
export const diffSchema = z.object({
  /** Null until a change exists. */
  base: z.string().nullable(),
  sha: z.string().nullable(),
  /** A unified diff; empty without a change. Untrusted. */
  diff: z.string(),
  truncated: z.boolean(),
  /**
   * Set while its editor works: `sha` is a snapshot of the workspace at the time of this request.
   */
  live: z.literal(true).optional(),
  /**
   * Set while the story has a workspace on this machine: its folder, and a link template for
   * opening a file.
   */
  workspace: z.object({ folder: z.string(), link: z.string() }).optional(),
})

export type Diff = z.infer<typeof diffSchema>
