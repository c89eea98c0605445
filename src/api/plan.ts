import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { storySizes } from '../domain/story/estimate.ts'
import { planFields } from '../domain/story/plan-problems.ts'
import { storyStates } from '../domain/story/story-machine.ts'
import { handedSchema } from './commands.ts'

const text = z.string().max(limits.specBytes)
const list = z.array(text).max(200)

/**
 * One story as a person writes it. Its rules are those of the architect's stories, and are told
 * beside each field: what is wrong is no bad request.
 */
export const editedStorySchema = z.strictObject({
  id: text,
  title: text,
  content: text.default(''),
  acceptance_criteria: list,
  depends_on: list.default([]),
  files_hint: list.default([]),
  /** The further repository that it belongs to; left out for the Run's own. */
  repository: text.min(1).exactOptional(),
})

export type EditedStory = z.output<typeof editedStorySchema>

const usd = z.object({ low: z.number(), median: z.number(), high: z.number() })

/** A story of a plan. Never trusted. */
export const planStorySchema = editedStorySchema.extend({
  /** The person who has written or changed it last; null for the architect. */
  edited_by: z.string().nullable(),
  /** Of its machine; null before it is built. */
  state: z.enum(storyStates).nullable(),
  /** Whether a step of it has begun, so that it stays as it is. */
  begun: z.boolean(),
})

export type PlanStory = z.infer<typeof planStorySchema>

/** GET /api/runs/:run/plan. */
export const planSchema = z.object({
  run: z.string(),
  /** Names these contents: an edit says which ones its author has seen. */
  version: z.string(),
  stories: z.array(planStorySchema),
  /** Names of people. */
  editors: z.array(z.string()),
  /** Whether it can be edited now; where it is, it is shown, waits for approval, or is built. */
  editable: z.enum(['shown', 'approval', 'building']).nullable(),
  /** Names of the Run's repositories, its own first; empty for one alone. */
  repositories: z.array(z.string()),
  /** The Run that this plan has been built by last; null while there is none. */
  built_by: z.string().nullable(),
  /**
   * Dollars for each story that has not begun, and for all of them, from built stories of this
   * repository; null while too few were built.
   */
  estimate: z
    .object({
      basis: z.int(),
      stories: z.array(usd.extend({ id: z.string(), size: z.enum(storySizes), any_size: z.boolean() })),
      total: usd,
    })
    .nullable(),
})

export type Plan = z.infer<typeof planSchema>

/** POST /api/runs/:run/plan: all stories of the plan as they are to be. */
export const editPlanSchema = z.strictObject({
  version: z.string().max(64),
  stories: z.array(editedStorySchema).max(limits.stories + 1),
})

export type EditPlan = z.input<typeof editPlanSchema>

export const planProblemSchema = z.object({
  /** Index of the story; null for the plan as a whole. */
  story: z.int().nullable(),
  field: z.enum(planFields).nullable(),
  message: z.string(),
})

export type PlanProblem = z.infer<typeof planProblemSchema>

/**
 * `edited`: it holds now, or with `handed` as soon as it is applied. `refused`: `problems` say why.
 * `outdated`: somebody has edited it meanwhile. `plan` is what holds now.
 */
export const editedPlanSchema = handedSchema.extend({
  outcome: z.enum(['edited', 'refused', 'outdated']),
  problems: z.array(planProblemSchema),
  plan: planSchema,
})

export type EditedPlan = z.infer<typeof editedPlanSchema>

/** POST /api/runs/:run/build: builds a plan as it was seen. */
export const buildPlanSchema = z.strictObject({
  version: z.string().max(64),
  /** Anew, though the same stories were built before (else 409). */
  again: z.boolean().default(false),
})

export type BuildPlan = z.input<typeof buildPlanSchema>
