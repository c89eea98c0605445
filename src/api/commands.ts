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

/** Models by role, or for all roles; an absent role uses the configured model. */
export const modelsSchema = z.strictObject({
  default: model.optional(),
  architect: model.optional(),
  editor: model.optional(),
  scout: model.optional(),
})

/** Options that a task and a run share. */
const start = {
  /** The branch to start from. */
  target: line.optional(),
  models: modelsSchema.optional(),
  /** Dollars that the Run may spend, instead of the configured budget. */
  budget_usd: z.number().positive().max(1e6).optional(),
  /** Decides how its stories compete with other Runs for slots. The default is `normal`. */
  priority: z.enum(priorities).optional(),
}

/** Facts that a client of a hub sends about its clone. */
const fromClone = {
  /** Seconds that the Run waits for a provider that does not answer. */
  max_wait_sec: z.int().min(1).max(1e7).optional(),
  /** Ids of tests that may fail as long as they fail on the base commit, too. */
  allow_failing: z.array(line).min(1).max(limits.gate.ids).optional(),
  /** Uncommitted files in the client's working tree: their number, and the first names. */
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
  /** The displayed name of the spec: a file name, or `text`. */
  source: line.default('text'),
  /** True to stop after planning the stories, without building them. */
  plan_only: z.boolean().default(false),
  /** For clients of 0.9: stories to build. `POST …/build` builds a plan instead. */
  stories: z.array(story).min(1).max(limits.stories).optional(),
  /** True to stop once the stories are planned, until a human approves them. */
  review_stories: z.boolean().default(false),
  /**
   * True to start a new Run even if one of this spec is unfinished or built; without it that is a
   * 409.
   */
  again: z.boolean().default(false),
  /** True to build the spec even if the architect finds it too vague. */
  as_is: z.boolean().default(false),
  ...start,
  ...fromClone,
})

/** POST /api/interviews: the architect asks questions about a spec, and writes it. */
export const startInterviewSchema = z.strictObject({
  /** A sentence, or a spec that is too vague. */
  text: text.max(limits.specBytes),
  /**
   * True to start a new interview even if one about these words exists; without it that is a 409.
   */
  again: z.boolean().default(false),
  ...start,
})

/** POST /api/tasks: one change, made by an editor, and reviewed by an architect if requested. */
export const startTaskSchema = z.strictObject({
  task: text.max(limits.specBytes),
  /** The acceptance criteria. */
  criteria: z.array(line).max(50).default([]),
  constraints: z.array(line).max(50).default([]),
  non_goals: z.array(line).max(50).default([]),
  /** Files for the editor to read first, relative to the root of the repository. */
  files: z.array(line).max(50).default([]),
  /** True to return only a diff; nothing is written or verified. */
  dry_run: z.boolean().default(false),
  /** True to have an architect review the plan and the change. */
  review: z.boolean().default(false),
  /** True to have a person approve the plan before any file changes. */
  review_plan: z.boolean().default(false),
  /** True to have an architect write tests of the criteria, hidden from the editor. */
  acceptance: z.boolean().default(false),
  /** Tests hidden from all agents: paths in the repository, contents in base64. */
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
 * The fate of a command: the owner has `applied` it or is still about to (`waiting`), or there is
 * no owner and the next one will apply it (`recorded`).
 */
export const handedSchema = z.object({
  run: z.string(),
  handed: z.enum(['applied', 'waiting', 'recorded']),
  /** The idempotency key of the stored command. */
  command: z.string().optional(),
})

export type CommandFate = z.infer<typeof handedSchema>

/** The empty body of requests such as POST /api/runs/:run/pause. */
export const nothingSchema = z.strictObject({})

/** Options with which an existing Run continues; absent ones are kept. */
const onward = {
  models: modelsSchema.optional(),
  /** Seconds that the Run waits for a provider that does not answer. */
  max_wait_sec: z.int().min(1).max(1e7).optional(),
}

/** POST /api/runs/:run/cancel */
export const cancelSchema = z.strictObject({
  /** The message for the chat of the Run. */
  reason: z.string().trim().min(1).max(1_000).optional(),
})

/** POST /api/messages/:id/assign: assigns a question; null assigns it to everybody. */
export const assignSchema = z.strictObject({ to: line.max(200).nullable() })

/** GET /api/people */
export const peopleSchema = z.object({
  /** Names of the people who may answer. */
  operators: z.array(z.string()),
})

export type People = z.infer<typeof peopleSchema>

/** POST /api/runs/:run/resume: options that change as the Run continues. */
export const resumeSchema = z.strictObject(onward)

export type Resume = z.input<typeof resumeSchema>

/**
 * POST /api/runs/:run/retry: retries a task that ended without DONE, or with `story` one story of a
 * spec.
 */
export const retrySchema = z.strictObject({
  story: line.optional(),
  /** Advice on what to do differently. */
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
  /** The reason why the findings are acceptable. */
  reason: z.string().trim().min(1).max(1_000).optional(),
})

export type Accept = z.infer<typeof acceptSchema>

/**
 * POST /api/runs/:run/budget: amounts to add to the current bounds. Continues work that is PAUSED
 * for its budget.
 */
export const raiseBudgetSchema = z
  .strictObject({
    run_usd: z.number().min(0).max(1e6).default(0),
    story_usd: z.number().min(0).max(1e6).default(0),
    run_tokens: z.int().min(0).max(1e12).default(0),
  })
  .refine((raise) => Object.values(raise).some((amount) => amount > 0), { error: 'raise at least one of them' })

export type RaiseBudget = z.input<typeof raiseBudgetSchema>

/** POST /api/runs/:run/posts: a message to the Run, or to one of its stories. */
export const postSchema = z.strictObject({
  story: line.nullable().default(null),
  text: text.max(limits.chatChars),
})

export type Post = z.input<typeof postSchema>

/** POST /api/messages/:id/reply: a human's answer. */
export const replySchema = z.strictObject({ text: text.max(limits.chatChars) })

export type Reply = z.infer<typeof replySchema>
