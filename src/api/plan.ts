import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { storySizes } from '../domain/story/estimate.ts'
import { planFields } from '../domain/story/plan-problems.ts'
import { storyStates } from '../domain/story/story-machine.ts'
import { handedSchema } from './commands.ts'

const text = z.string().max(limits.specBytes)
const list = z.array(text).max(200)

/**
 * One story as a person writes it. It must obey the rules for the architect's stories. A violation
 * is reported per field in the response, not as a bad request.
 */
export const editedStorySchema = z.strictObject({
  id: text,
  title: text,
  content: text.default(''),
  acceptance_criteria: list,
  depends_on: list.default([]),
  files_hint: list.default([]),
  /** The name of the story's repository, if it is a further one; absent for the Run's own. */
  repository: text.min(1).exactOptional(),
})

export type EditedStory = z.output<typeof editedStorySchema>

const usd = z.object({ low: z.number(), median: z.number(), high: z.number() })

/** A story of a plan. Untrusted. */
export const planStorySchema = editedStorySchema.extend({
  /** The person who last wrote or changed it; null for the architect. */
  edited_by: z.string().nullable(),
  /** The state of the story; null until it is built. */
  state: z.enum(storyStates).nullable(),
  /** True if one of its steps has begun, so that it can no longer change. */
  begun: z.boolean(),
})

export type PlanStory = z.infer<typeof planStorySchema>

/** GET /api/runs/:run/plan. */
export const planSchema = z.object({
  run: z.string(),
  /** Identifies the content: an edit names the version that its author saw. */
  version: z.string(),
  stories: z.array(planStorySchema),
  /** Names of people who have edited the plan. */
  editors: z.array(z.string()),
  /**
   * The situation in which it can be edited: only shown, waiting for approval, or being built; null
   * if it cannot.
   */
  editable: z.enum(['shown', 'approval', 'building']).nullable(),
  /** Names of the Run's repositories, its own first; empty for a single one. */
  repositories: z.array(z.string()),
  /** The latest Run that built this plan; null if there is none. */
  built_by: z.string().nullable(),
  /**
   * Estimated dollars for each story that has not begun, and in total, from built stories of this
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

/** POST /api/runs/:run/plan: the complete new list of stories. */
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
 * `edited`: the edit is in effect, or with `handed` will be once applied. `refused`: see
 * `problems`. `outdated`: somebody else has edited the plan in between. `plan` is the plan in
 * effect.
 */
export const editedPlanSchema = handedSchema.extend({
  outcome: z.enum(['edited', 'refused', 'outdated']),
  problems: z.array(planProblemSchema),
  plan: planSchema,
})

export type EditedPlan = z.infer<typeof editedPlanSchema>

/** POST /api/runs/:run/build: builds exactly the given version of a plan. */
export const buildPlanSchema = z.strictObject({
  version: z.string().max(64),
  /** True to build even if these stories were built before; without it that is a 409. */
  again: z.boolean().default(false),
})

export type BuildPlan = z.input<typeof buildPlanSchema>
