import { z } from 'zod'
import { requestKinds, requestStates } from '../domain/request/request.ts'
import { storyAcceptanceSchema } from './acceptance.ts'
import { commit } from './lines.ts'
import { storyLineSchema, transitionSchema } from './runs.ts'
import { roleSpendingSchema } from './spending.ts'

/** ISO 8601. */
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
  /** Its fate: `closed` is settled, `accepted` is taken as it is. */
  state: z.enum(['open', 'closed', 'accepted']),
  /**
   * Raised by the gate, or a person, and not by a reviewer: no reviewer drops it.
   */
  by: z.enum(['gate', 'person']).optional(),
  /** Of a person's remark: the name, and what the editor has said about it last. */
  author: z.string().optional(),
  answer: z.object({ settled: z.boolean(), reply: z.string() }).optional(),
  /** A human has accepted it, not the reviewer. */
  accepted_by: z.literal('human').optional(),
  /** On a hub, the name of that human's token. */
  accepter: z.string().optional(),
  /** The round that raised it. */
  round: z.int(),
})

export type Finding = z.infer<typeof findingSchema>

/** All rounds of one kind of review together. */
export const reviewSchema = z.object({
  kind: z.enum(['plan', 'code', 'completion']),
  /**
   * Sent back since it was approved or a human was asked last; with `most_returned` of them a human
   * is asked.
   */
  returned: z.int(),
  most_returned: z.int(),
  /** Sent back in all, since the story began or was retried. */
  sent_back: z.int(),
  /** How often a human was asked because of that. */
  humans_asked: z.int(),
  /** The commit that was reviewed last. */
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
  /** The commit that it speaks of. */
  sha: z.string(),
  verdict: verdict.nullable(),
  /** What the architect said; Markdown, never trusted. */
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
  /** Milliseconds of its commands together. */
  duration_ms: z.int(),
  of: z.enum(['change', 'merge']),
})

export type StoryVerification = z.infer<typeof storyVerificationSchema>

export const scoutReportSchema = z.object({
  id: z.string(),
  scout: z.enum(['codebase', 'build']),
  question: z.string(),
  state: z.enum(['ASKED', 'RUNNING', 'ANSWERED', 'FAILED', 'CANCELLED']),
  /** Of 3. */
  attempt: z.int(),
  /** How the tries before ended. */
  problems: z.array(z.string()),
  /** The report as it was submitted (domain/scout/scout-report.ts); null without one. */
  report: z.unknown(),
})

export type ScoutReport = z.infer<typeof scoutReportSchema>

export const contextFileSchema = z.object({
  n: z.int(),
  /** `scout report`, `plan`, `replan`, `success` or `stuck`. */
  milestone: z.string(),
  /** Markdown, never trusted. */
  content: z.string(),
})

/** GET /api/runs/:run/stories/:story. A task's story is `task`. */
export const storyDetailSchema = storyLineSchema.extend({
  run: z.string(),
  last_event: z.int(),
  /** What it is to do, as it was planned or asked for. */
  content: z.string(),
  /** What it is accepted by. */
  acceptance_criteria: z.array(z.string()),
  files_hint: z.array(z.string()),
  constraints: z.array(z.string()),
  non_goals: z.array(z.string()),
  /** Stories that wait for it. */
  dependents: z.array(z.string()),
  /** The present plan; null before the first. */
  plan: planSchema.nullable(),
  /** Those before it, newest first. */
  earlier_plans: z.array(planSchema),
  hypotheses: z.array(z.string()),
  base: z.string().nullable(),
  /** The newest snapshot; null before the first. */
  sha: z.string().nullable(),
  failures: z.object({ consecutive: z.int(), loops: z.int() }),
  reviews: z.array(reviewSchema),
  requests: z.array(storyRequestSchema),
  runs: z.array(storyVerificationSchema).describe('Verifications'),
  scouts: z.array(scoutReportSchema),
  context_files: z.array(contextFileSchema),
  /** The state of the tests that its editor does not see; null where nobody writes any. */
  acceptance: storyAcceptanceSchema.nullable(),
  /** What its change does, once it has ended with one; Markdown, never trusted. */
  summary: z
    .object({
      text: z.string(),
      files: z.array(z.string()),
      outside_plan: z.array(z.string()),
      tests: z.array(z.string()),
    })
    .nullable(),
  /** Markdown, never trusted. */
  stuck_report: z.string().nullable(),
  /** Why it ended without DONE, or why its editor was stopped, in words and figures. */
  stopped_because: z.string().nullable(),
  /** How often its merge was sent back. */
  merge_returns: z.int(),
  spending_by_role: z.array(roleSpendingSchema),
  /** Its own, newest first. */
  transitions: z.array(transitionSchema),
})

export type StoryDetail = z.infer<typeof storyDetailSchema>

/** Commits that stand on the base of the Run; left out for the usual ones. */
export const diffQuerySchema = z.object({ from: commit.optional(), to: commit.optional() })

/** GET …/diff: two commits, and what is between them. */
export const diffSchema = z.object({
  /** null before there is anything. */
  base: z.string().nullable(),
  sha: z.string().nullable(),
  /** Unified; empty for no change. Never trusted. */
  diff: z.string(),
  truncated: z.boolean(),
  /** Set while its editor works: `sha` keeps the workspace as it was at this request. */
  live: z.literal(true).optional(),
  /** While the story has a workspace on this machine: its folder, and the user's link to a file. */
  workspace: z.object({ folder: z.string(), link: z.string() }).optional(),
})

export type Diff = z.infer<typeof diffSchema>
