import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { priorities } from '../domain/share/priority.ts'
import { storyIdPattern, storyIdRule } from '../domain/story/planned-story.ts'

const text = z.string().trim().min(1)
const line = text.max(4_096)
const model = z
  .string()
  .regex(/^[A-Za-z0-9._-]+:.+$/, 'must look like <provider>:<model>')
  .max(500)

/** Models by role, and for all of them; what is left out is as configured. */
export const modelsSchema = z.strictObject({
  default: model.optional(),
  architect: model.optional(),
  editor: model.optional(),
  scout: model.optional(),
})

/** What both kinds of work may be asked for with. */
const start = {
  /** Branch to start from. */
  target: line.optional(),
  models: modelsSchema.optional(),
  /** Dollars that the Run may spend, in place of the configured ones. */
  budget_usd: z.number().positive().max(1e6).optional(),
  /** How its stories get slots beside other Runs; `normal` when left out. */
  priority: z.enum(priorities).optional(),
}

/** What a client of a hub says of the repository that it starts from. */
const fromClone = {
  /** Seconds that the Run waits for a provider that answers nobody. */
  max_wait_sec: z.int().min(1).max(1e7).optional(),
  /** Ids of tests that may fail as long as they fail on the base commit as well. */
  allow_failing: z.array(line).min(1).max(limits.gate.ids).optional(),
  /** Files of the client's working tree that no commit has: how many, and the first of them. */
  uncommitted: z
    .strictObject({ count: z.int().min(1).max(1e9), files: z.array(line).max(limits.uncommittedNames) })
    .optional(),
}

const story = z.strictObject({
  id: z.string().regex(storyIdPattern, storyIdRule),
  title: text.max(limits.specBytes),
  content: z.string().max(limits.specBytes),
  acceptance_criteria: z.array(z.string().max(limits.specBytes)),
  depends_on: z.array(z.string().max(100)),
  files_hint: z.array(z.string().max(limits.specBytes)),
})

/** POST /api/runs: build a spec. */
export const startRunSchema = z.strictObject({
  spec: text.max(limits.specBytes),
  /** What it is called by where it is shown: a file, or `text`. */
  source: line.default('text'),
  /** Ends with the stories, and builds none. */
  plan_only: z.boolean().default(false),
  /** For clients of 0.9: stories to build. `POST …/build` builds a plan instead. */
  stories: z.array(story).min(1).max(limits.stories).optional(),
  /** Stop after the stories are known, until a human approves them. */
  review_stories: z.boolean().default(false),
  /** Anew, though the same spec is unfinished or built already (else 409). */
  again: z.boolean().default(false),
  /** Built even if the architect finds it too vague. */
  as_is: z.boolean().default(false),
  ...start,
  ...fromClone,
})

/** POST /api/interviews: the architect asks what a spec should say, and writes it. */
export const startInterviewSchema = z.strictObject({
  /** A sentence, or a spec that is too vague. */
  text: text.max(limits.specBytes),
  /** Anew, though there is an interview about the same words (else 409). */
  again: z.boolean().default(false),
  ...start,
})

/** POST /api/tasks: one change, made by an editor, and reviewed by an architect if asked for. */
export const startTaskSchema = z.strictObject({
  task: text.max(limits.specBytes),
  /** How to tell that it is done. */
  criteria: z.array(line).max(50).default([]),
  constraints: z.array(line).max(50).default([]),
  non_goals: z.array(line).max(50).default([]),
  /** Files to look at first, from the top of the repository. */
  files: z.array(line).max(50).default([]),
  /** Only a diff; nothing is written or verified. */
  dry_run: z.boolean().default(false),
  /** An architect reviews plan and change. */
  review: z.boolean().default(false),
  /** A person approves the plan before any file changes. */
  review_plan: z.boolean().default(false),
  /** An architect writes tests of the criteria that the editor does not see. */
  acceptance: z.boolean().default(false),
  /** Tests that no agent sees: paths in the repository, contents in base64. */
  acceptance_tests: z
    .array(z.strictObject({ path: line, content: z.base64() }))
    .max(limits.acceptance.files)
    .optional(),
  /** For clients of 0.9: findings accepted beforehand. `POST …/accept` accepts them instead. */
  accept: z.array(line).max(100).default([]),
  ...start,
  ...fromClone,
})

export type StartTask = z.input<typeof startTaskSchema>

/**
 * What became of a command: the owner has `applied` it, has not yet (`waiting`), or there is none
 * and the next to start will (`recorded`).
 */
export const handedSchema = z.object({
  run: z.string(),
  handed: z.enum(['applied', 'waiting', 'recorded']),
  /** The key of the stored command. */
  command: z.string().optional(),
})

export type CommandFate = z.infer<typeof handedSchema>

/** Such as POST /api/runs/:run/pause: an empty object. */
export const nothingSchema = z.strictObject({})

/** The terms on which an existing Run continues; those that are left out stay. */
const onward = {
  models: modelsSchema.optional(),
  /** Seconds that it waits for a provider that answers nobody. */
  max_wait_sec: z.int().min(1).max(1e7).optional(),
}

/** POST /api/runs/:run/cancel */
export const cancelSchema = z.strictObject({
  /** The words for the chat of the Run. */
  reason: z.string().trim().min(1).max(1_000).optional(),
})

/** POST /api/messages/:id/assign: null for everybody. */
export const assignSchema = z.strictObject({ to: line.max(200).nullable() })

/** GET /api/people */
export const peopleSchema = z.object({
  /** Names of those who may answer. */
  operators: z.array(z.string()),
})

export type People = z.infer<typeof peopleSchema>

/** POST /api/runs/:run/resume */
export const resumeSchema = z.strictObject(onward)

export type Resume = z.input<typeof resumeSchema>

/**
 * POST /api/runs/:run/retry: a task that ended without DONE, or with `story` one of a spec's
 * stories.
 */
export const retrySchema = z.strictObject({
  story: line.optional(),
  /** What to do differently. */
  guidance: z
    .string()
    .trim()
    .max(limits.chatChars - 100)
    .optional(),
  ...onward,
})

export type Retry = z.infer<typeof retrySchema>

/**
 * POST /api/runs/:run/accept: the one way to accept. `findings` are ids of findings of the gate, of
 * a review or of a person, or `no_change`; `story` names the story of a crew.
 */
export const acceptSchema = z.strictObject({
  story: line.optional(),
  findings: z.array(line).min(1).max(100),
  /** Why they may stay. */
  reason: z.string().trim().min(1).max(1_000).optional(),
})

export type Accept = z.infer<typeof acceptSchema>

/** POST /api/runs/:run/budget: what is added to the present bounds. Goes on with what is PAUSED. */
export const raiseBudgetSchema = z
  .strictObject({
    run_usd: z.number().min(0).max(1e6).default(0),
    story_usd: z.number().min(0).max(1e6).default(0),
    run_tokens: z.int().min(0).max(1e12).default(0),
  })
  .refine((raise) => Object.values(raise).some((amount) => amount > 0), { error: 'raise at least one of them' })

export type RaiseBudget = z.input<typeof raiseBudgetSchema>

/** POST /api/runs/:run/posts: said to the Run, or to one of its stories. */
export const postSchema = z.strictObject({
  story: line.nullable().default(null),
  text: text.max(limits.chatChars),
})

export type Post = z.input<typeof postSchema>

/** POST /api/messages/:id/reply: a human's answer. */
export const replySchema = z.strictObject({ text: text.max(limits.chatChars) })

export type Reply = z.infer<typeof replySchema>
