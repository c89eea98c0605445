import { z } from 'zod'
import { requestKinds, requestStates } from '../domain/request/request.ts'
import { outcomeCodes } from '../domain/run/outcome-table.ts'
import { runStates } from '../domain/run/run-machine.ts'
import { storyStates } from '../domain/story/story-machine.ts'
import { escalationSchema } from './chat.ts'
import { heldLineSchema } from './held.ts'
import { outcomeSchema } from './outcome.ts'
import { budgetSchema, roleSpendingSchema, spendingSchema } from './spending.ts'

/** An ISO 8601 time. */
const time = z.string()

/** An error that stopped a Run, for people. */
export const stopSchema = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** The reasons why work is paused although no human is asked. */
export const pauseSchema = z.object({
  /**
   * The exceeded bounds, and the stories that are PAUSED for them; without any, the Run itself is.
   * `POST …/budget` raises the bounds.
   */
  budget: z
    .object({
      caps: z.array(z.enum(['run_usd', 'story_usd', 'run_tokens', 'story_tokens'])),
      stories: z.array(z.string()),
      /**
       * For each waiting call: its highest possible cost, the rest of the budget, and the missing
       * amount; in dollars or tokens.
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
      /**
       * A command line that raises all bounds enough, and the equivalent body for `POST …/budget`.
       */
      command: z.string(),
      raise: z.object({ run_usd: z.number(), story_usd: z.number(), run_tokens: z.number() }),
    })
    .nullable(),
  /**
   * Lanes that wait for their provider: the reason, the earliest next try, and the waiting stories.
   */
  provider: z.object({ reason: z.string(), until: time, lanes: z.int(), stories: z.array(z.string()) }).nullable(),
  /**
   * Set when a human paused the Run: `pausing` while the current steps end, then `paused`. `POST
   * …/resume` continues it.
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
  /** True for a spec whose stories are only planned. */
  plan_only: z.boolean(),
  /** A title of one line. */
  title: z.string(),
  state: z.enum(runStates),
  /** The outcome, or the reason why there is none yet, as shown to people. */
  outcome: outcomeSchema,
  /** Names the holders of its result, as "1 comment of Ada"; null without a hold. */
  held_by: z.string().nullable(),
  /**
   * True if it is unfinished and no process works on this state. `drydock resume` or `drydock
   * serve` continues it.
   */
  interrupted: z.boolean(),
  /** The person who started it, on a hub. */
  started_by: z.string().optional(),
  /** The people who took part in it, on a hub; absent if nobody is known. */
  people: z
    .object({
      started: z.array(z.string()),
      answered: z.array(z.string()),
      accepted: z.array(z.string()),
      /** People who requested a landing. */
      merged: z.array(z.string()),
    })
    .optional(),
  /** The time of the request. */
  started_at: time,
  /** The time when it came to rest; null until then. */
  ended_at: time.nullable(),
  stories: z.object({ total: z.int(), done: z.int() }),
  /** The number of open questions for a human. */
  escalations: z.int(),
  /** The run branch while it exists. */
  branch: z.string().nullable(),
  spending: spendingSchema,
})

export type RunLine = z.infer<typeof runLineSchema>

/** GET /api/runs: newest first. */
export const runListSchema = z.object({
  /** The path of the repository. */
  repository: z.string(),
  version: z.string(),
  /** True if a process works on this state now. */
  owned: z.boolean(),
  /** Id of the newest event that this response includes; continue with `/api/events?after=<it>`. */
  last_event: z.int(),
  runs: z.array(runLineSchema),
  /** Open questions of all Runs, oldest first. */
  escalations: z.array(escalationSchema),
  /** Held commands, oldest first. Each takes effect after ten seconds unless it is undone. */
  held: z.array(heldLineSchema),
})

export type RunList = z.infer<typeof runListSchema>

/** One story on the board. */
export const storyLineSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** QUEUED also for a story that is only planned. */
  state: z.enum(storyStates),
  /** For a task at rest, the outcome of its Run; null for any other story. */
  outcome: z.enum(outcomeCodes).nullable(),
  /** The label of the outcome; absent if it has none. */
  outcome_label: z.string().optional(),
  /** The time when it entered its state; null until it exists. */
  since: time.nullable(),
  /** The time of its creation; null until then. */
  created_at: time.nullable(),
  depends_on: z.array(z.string()),
  /** The story's workspace, such as `coder-001`; null without one. */
  slot: z.string().nullable(),
  /** The agent that works on it and its lane, such as `editor/parser/CODING`; null without one. */
  working: z.object({ agent: z.string(), lane: z.string() }).nullable(),
  /** The current attempt, or the last one; null until it has started. */
  attempt: z.int().nullable(),
  /** The number of permitted attempts. */
  most_attempts: z.int(),
  /** The number of verifications so far. */
  verifications: z.int(),
  /** The status of the newest verification; null without one. */
  last_status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']).nullable(),
  /** The number of reviews of plan, code and completion so far. */
  reviews: z.int(),
  /** The number of open findings. */
  findings: z.int(),
  /** The commit of its newest snapshot; null without one. */
  snapshot: z.string().nullable(),
  retries: z.int(),
  /** True if `POST …/retry` can restart it now. */
  retry: z.boolean(),
  /**
   * The ratio to the median of the Run's other stories, if it is at least 2 and three stories have
   * begun; otherwise null.
   */
  against_peers: z.object({ calls: z.number().nullable(), time: z.number().nullable() }),
  /** Id of the question that it waits for. */
  escalation: z.string().nullable(),
  spending: spendingSchema,
})

export type StoryLine = z.infer<typeof storyLineSchema>

/** A request to the architect that is not answered yet. */
export const openRequestSchema = z.object({
  id: z.string(),
  story: z.string(),
  kind: z.enum(requestKinds),
  round: z.int(),
  state: z.enum(requestStates),
})

/** A move of a Run (`story` is null) or of a story, as in its transition table. */
export const transitionSchema = z.object({
  /** The id in the event log. */
  id: z.int(),
  story: z.string().nullable(),
  from: z.string(),
  event: z.string(),
  to: z.string(),
  at: time,
})

export type Transition = z.infer<typeof transitionSchema>

/** GET /api/runs/:run: one Run in full. */
export const runDetailSchema = runLineSchema.omit({ stories: true, escalations: true }).extend({
  last_event: z.int(),
  owned: z.boolean(),
  /** The full text of the request. */
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
   * The state of the architect: SCOPING, STORY_GENERATION, MONITORING, REQUEST or ESCALATED; null
   * without an architect.
   */
  architect: z.object({ state: z.string(), requests: z.array(openRequestSchema) }).nullable(),
  stories: z.array(storyLineSchema),
  escalations: z.array(escalationSchema),
  pause: pauseSchema,
  /**
   * The stories that wait for a slot because of other Runs or a limit, with the reason; null if
   * none waits.
   */
  waits_for_slot: z.object({ stories: z.array(z.string()), sentence: z.string() }).nullable(),
  /** The error that stopped a Run in ERROR. */
  error: stopSchema.nullable(),
  /** Commits; null until it has started. */
  base: z.string().nullable(),
  tip: z.string().nullable(),
  /** Each repository of a Run over several, its own first; empty for a single one. */
  repositories: z.array(
    z.object({
      name: z.string(),
      path: z.string(),
      /** The URL that it was cloned from; null for a repository of this machine. */
      url: z.string().nullable(),
      /** The last merged commit; null without one. */
      sha: z.string().nullable(),
      /** Null until its branch has been published. */
      branch: z.string().nullable(),
    }),
  ),
  /** The merge queue: stories in order of approval. The story being merged is in state MERGING. */
  merges: z.array(
    z.object({
      story: z.string(),
      state: z.enum(['QUEUED', 'MERGING', 'MERGED', 'RETURNED', 'CANCELLED']),
      commit: z.string().nullable(),
      /** The path of its signed receipt below ARTIFACT_DIR; null until it is merged. */
      receipt: z.string().nullable(),
    }),
  ),
  budget: budgetSchema.nullable(),
  spending_by_role: z.array(roleSpendingSchema),
  /** The newest 100 moves, newest first. */
  transitions: z.array(transitionSchema),
  /** The operations that are possible now. */
  can: z.object({
    cancel: z.boolean(),
    pause: z.boolean(),
    resume: z.boolean(),
    retry: z.boolean(),
    budget: z.boolean(),
    post: z.boolean(),
    /** True if stories that have not begun can be edited. */
    edit: z.boolean(),
  }),
  /** The reason for each operation that is not possible. */
  cannot: z.record(z.string(), z.string()),
  /** The editor's claim about a task without changes; null for any other Run. Untrusted. */
  claim: z.object({ reason: z.string(), evidence: z.string().nullable() }).nullable(),
  /** The spec of an interview, as Markdown; null for any other Run. Untrusted. */
  spec: z.object({ title: z.string(), text: z.string(), file: z.string().nullable() }).nullable(),
  /** The gaps of a spec, for a Run in TOO_VAGUE. Untrusted. */
  vague: z.object({ reason: z.string(), missing: z.array(z.string()) }).nullable(),
  /** The answer of a verification or of a scout, as JSON; null for others. */
  answer: z.unknown(),
  /** The diff of a dry run; null for others. */
  diff: z.string().nullable(),
})

export type RunDetail = z.infer<typeof runDetailSchema>

/** GET /api/runs/:run/report: the report of one Run. */
export const reportSchema = z.object({
  /** Contains untrusted texts of models. */
  markdown: z.string(),
})

export type Report = z.infer<typeof reportSchema>
