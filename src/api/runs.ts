import { z } from 'zod'
import { requestKinds, requestStates } from '../domain/request/request.ts'
import { outcomeCodes } from '../domain/run/outcome-table.ts'
import { runStates } from '../domain/run/run-machine.ts'
import { storyStates } from '../domain/story/story-machine.ts'
import { escalationSchema } from './chat.ts'
import { heldLineSchema } from './held.ts'
import { outcomeSchema } from './outcome.ts'
import { budgetSchema, roleSpendingSchema, spendingSchema } from './spending.ts'

/** ISO 8601. */
const time = z.string()

/** An error that stopped a Run, for people. */
export const stopSchema = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** Why work rests though no human is asked. */
export const pauseSchema = z.object({
  /**
   * Bounds that are reached, and stories that are PAUSED for them (none: the Run itself). `POST
   * …/budget` raises them.
   */
  budget: z
    .object({
      caps: z.array(z.enum(['run_usd', 'story_usd', 'run_tokens', 'story_tokens'])),
      stories: z.array(z.string()),
      /**
       * What each call that waits may cost at most, what is left, and what has to be allowed
       * besides; dollars, or tokens.
       */
      waiting: z.array(
        z.object({
          story: z.string().nullable(),
          cap: z.enum(['run_usd', 'story_usd', 'run_tokens', 'story_tokens']),
          limit: z.number(),
          spent: z.number(),
          left: z.number().optional(),
          needed: z.number().optional(),
          raise: z.number().optional(),
        }),
      ),
      /** The command line that is enough for all of them, and the same for `POST …/budget`. */
      command: z.string(),
      raise: z.object({ run_usd: z.number(), story_usd: z.number(), run_tokens: z.number() }),
    })
    .nullable(),
  /**
   * Lanes that wait for their provider: why, until when at least, and the stories that rest because
   * of it.
   */
  provider: z.object({ reason: z.string(), until: time, lanes: z.int(), stories: z.array(z.string()) }).nullable(),
  /**
   * A human has paused it: `pausing` while what was under way ends, then `paused`. `POST …/resume`
   * goes on.
   */
  user: z.enum(['pausing', 'paused']).nullable(),
  /** With `user`: the cause, in words that follow "paused". */
  how: z.string().exactOptional(),
})

export type Pause = z.infer<typeof pauseSchema>

/** One Run in a list. */
export const runLineSchema = z.object({
  run: z.string(),
  kind: z.enum(['spec', 'interview', 'task', 'verify', 'scout']),
  /** Of a spec: its stories are planned, and nobody builds them. */
  plan_only: z.boolean(),
  /** One line. */
  title: z.string(),
  state: z.enum(runStates),
  /** What it has come to, or why it has not yet; what people are shown. */
  outcome: outcomeSchema,
  /** Names what holds its result, as "1 comment of Ada"; null for nothing. */
  held_by: z.string().nullable(),
  /**
   * It is unfinished, and no process works on this state: `drydock resume` (or `drydock serve`)
   * goes on with it.
   */
  interrupted: z.boolean(),
  /** On a hub: who has asked for it. */
  started_by: z.string().optional(),
  /** On a hub: who had which part in it. Left out where nobody is known. */
  people: z
    .object({
      started: z.array(z.string()),
      answered: z.array(z.string()),
      accepted: z.array(z.string()),
      /** Has asked for a landing. */
      merged: z.array(z.string()),
    })
    .optional(),
  /** When it was asked for. */
  started_at: time,
  /** When it came to rest; null while it has not. */
  ended_at: time.nullable(),
  stories: z.object({ total: z.int(), done: z.int() }),
  /** Questions that wait for a human. */
  escalations: z.int(),
  /** The run branch, once it is there and while it is. */
  branch: z.string().nullable(),
  spending: spendingSchema,
})

export type RunLine = z.infer<typeof runLineSchema>

/** GET /api/runs: newest first. */
export const runListSchema = z.object({
  /** The repository's folder. */
  repository: z.string(),
  version: z.string(),
  /** Whether a process works on this state now. */
  owned: z.boolean(),
  /** Id of the newest event that this answer knows of; follow with `/api/events?after=<it>`. */
  last_event: z.int(),
  runs: z.array(runLineSchema),
  /** Of all Runs, oldest first. */
  escalations: z.array(escalationSchema),
  /** Commands that are given in ten seconds unless somebody takes them back, oldest first. */
  held: z.array(heldLineSchema),
})

export type RunList = z.infer<typeof runListSchema>

/** One story on the board. */
export const storyLineSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** QUEUED also before it exists. */
  state: z.enum(storyStates),
  /** Of a task at rest, that of its Run; null for any other story. */
  outcome: z.enum(outcomeCodes).nullable(),
  /** The label of that outcome, where it has one. */
  outcome_label: z.string().optional(),
  /** When it came into its state; null before it exists. */
  since: time.nullable(),
  /** When it existed first; its age. */
  created_at: time.nullable(),
  depends_on: z.array(z.string()),
  /** The workspace it has, as `coder-001`; null when it has none. */
  slot: z.string().nullable(),
  /** Who works on it now, as `editor` in lane `editor/parser/CODING`; null when nobody does. */
  working: z.object({ agent: z.string(), lane: z.string() }).nullable(),
  /** The attempt under way, or the last one; null before it has started. */
  attempt: z.int().nullable(),
  /** Attempts that may fail. */
  most_attempts: z.int(),
  /** Verifications so far. */
  verifications: z.int(),
  /** Of the newest one; null without one. */
  last_status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']).nullable(),
  /** Reviews of plan, code and completion so far. */
  reviews: z.int(),
  /** Findings that are open. */
  findings: z.int(),
  /** The commit of its newest snapshot; null before the first. */
  snapshot: z.string().nullable(),
  retries: z.int(),
  /** Whether `POST …/retry` can start it again now. */
  retry: z.boolean(),
  /**
   * How many times the median of the Run's other stories it has taken so far, from twice on and
   * with three stories that have begun; else null.
   */
  against_peers: z.object({ calls: z.number().nullable(), time: z.number().nullable() }),
  /** Id of the message that it waits for an answer to. */
  escalation: z.string().nullable(),
  spending: spendingSchema,
})

export type StoryLine = z.infer<typeof storyLineSchema>

/** A request that the architect has been asked and has not answered. */
export const openRequestSchema = z.object({
  id: z.string(),
  story: z.string(),
  kind: z.enum(requestKinds),
  round: z.int(),
  state: z.enum(requestStates),
})

/** A move of a Run (`story` null) or of a story, as its table has it. */
export const transitionSchema = z.object({
  /** Of the event log. */
  id: z.int(),
  story: z.string().nullable(),
  from: z.string(),
  event: z.string(),
  to: z.string(),
  at: time,
})

export type Transition = z.infer<typeof transitionSchema>

/** GET /api/runs/:run. */
export const runDetailSchema = runLineSchema.omit({ stories: true, escalations: true }).extend({
  last_event: z.int(),
  owned: z.boolean(),
  /** What was asked for, in full. */
  request: z.object({
    text: z.string(),
    source: z.string().nullable(),
    criteria: z.array(z.string()),
    constraints: z.array(z.string()),
    non_goals: z.array(z.string()),
  }),
  /** Model ids by role; null for a verification. */
  models: z.object({ architect: z.string().nullable(), editor: z.string(), scout: z.string() }).nullable(),
  /**
   * SCOPING, STORY_GENERATION, MONITORING, REQUEST or ESCALATED as the architect is shown; null
   * without one.
   */
  architect: z.object({ state: z.string(), requests: z.array(openRequestSchema) }).nullable(),
  stories: z.array(storyLineSchema),
  escalations: z.array(escalationSchema),
  pause: pauseSchema,
  /** Why what could go on has no slot, where other Runs or a bound are in the way; else null. */
  waits_for_slot: z.object({ stories: z.array(z.string()), sentence: z.string() }).nullable(),
  /** What stopped a Run in ERROR. */
  error: stopSchema.nullable(),
  /** Commits; null before it has started. */
  base: z.string().nullable(),
  tip: z.string().nullable(),
  /** Each repository of a Run over several, its own first; empty for one alone. */
  repositories: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      /** Where it was cloned from; null for one of this machine. */
      url: z.string().nullable(),
      /** What was merged last; null where nothing was. */
      sha: z.string().nullable(),
      /** Null until it is moved there. */
      branch: z.string().nullable(),
    }),
  ),
  /**
   * The merge queue: stories in order of approval, with MERGING for the one that is being merged.
   */
  merges: z.array(
    z.object({
      story: z.string(),
      state: z.enum(['QUEUED', 'MERGING', 'MERGED', 'RETURNED', 'CANCELLED']),
      commit: z.string().nullable(),
      /** Where its signed receipt is kept, below ARTIFACT_DIR; null before it is merged. */
      receipt: z.string().nullable(),
    }),
  ),
  budget: budgetSchema.nullable(),
  spending_by_role: z.array(roleSpendingSchema),
  /** The newest 100, newest first. */
  transitions: z.array(transitionSchema),
  /** What can be done with it now. */
  can: z.object({
    cancel: z.boolean(),
    pause: z.boolean(),
    resume: z.boolean(),
    retry: z.boolean(),
    budget: z.boolean(),
    post: z.boolean(),
    /** Its stories, as far as they have not begun. */
    edit: z.boolean(),
  }),
  /** Why not, for each of these that cannot be done. */
  cannot: z.record(z.string(), z.string()),
  /**
   * What the editor of a task says of having changed nothing; null for any other. Never trusted.
   */
  claim: z.object({ reason: z.string(), evidence: z.string().nullable() }).nullable(),
  /** The spec that an interview has led to, as Markdown; null for any other Run. Never trusted. */
  spec: z.object({ title: z.string(), text: z.string(), file: z.string().nullable() }).nullable(),
  /** Of a Run in TOO_VAGUE: what its spec lacks. Never trusted. */
  vague: z.object({ reason: z.string(), missing: z.array(z.string()) }).nullable(),
  /** The answer of a verification or a scout's question, as JSON; null for others. */
  answer: z.unknown(),
  /** The diff of a dry run. */
  diff: z.string().nullable(),
})

export type RunDetail = z.infer<typeof runDetailSchema>

/** GET /api/runs/:run/report. */
export const reportSchema = z.object({
  /** Contains texts of models: never trusted. */
  markdown: z.string(),
})

export type Report = z.infer<typeof reportSchema>
