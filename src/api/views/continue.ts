import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import type { KeptOptions } from '../../domain/run/kept-options.ts'
import type { RunModels } from '../../domain/run/run-models.ts'
import { priorities } from '../../domain/share/priority.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'
import { typed } from './typed.ts'
import { idSchema } from './work.ts'

const plannedSchema = typed<PlannedStory>(z.looseObject({ id: z.string(), title: z.string() }))

/** Query of GET /api/unfinished. */
export const unfinishedQuerySchema = z.object({ id: idSchema })

/** GET /api/unfinished: what can be resumed. */
export const unfinishedSchema = z.object({
  /** Ids of all that is unfinished, with stored starts that are not Runs yet. */
  runs: z.array(z.string()).readonly(),
  /** The Run that was named, or the last; null while nothing but stored starts is there. */
  last: z
    .object({
      run: z.string(),
      /** A task that ended although nothing but the infrastructure stood in its way. */
      can_continue: z.boolean(),
    })
    .nullable(),
  /** One of them has an architect. */
  crew: z.boolean(),
  /** The models of the only one; null for several. */
  models: typed<RunModels>(z.looseObject({})).nullable(),
})

export type UnfinishedWork = z.infer<typeof unfinishedSchema>

/** POST /api/specs/before: a spec that somebody is about to build; nothing is stored. */
export const beforeQuerySchema = z.strictObject({
  text: z.string().max(limits.specBytes),
  plan_only: z.boolean(),
  stories: z.array(plannedSchema).nullable(),
  /** The branch or the commit that it would start from. */
  target: z.string().max(1_000).optional(),
})

/** The newest Run of the same spec; null where there is none. */
export const beforeSchema = z.object({
  before: z
    .object({
      run: z.string(),
      /** `over` stands for another end, after which the spec starts again. */
      standing: z.enum(['unfinished', 'done', 'over']),
      /** True if the Run's start is stored and no owner has begun it yet. */
      stored: z.boolean(),
      /** True if the Run was cancelled and `retry` can continue with its stories. */
      can_be_retried: z.boolean(),
      terms: z.object({
        config_file: z.string().nullable(),
        budget_usd: z.number().nullable(),
        priority: z.enum(priorities),
        allow_failing: z.array(z.string()).readonly(),
        review_stories: z.boolean(),
      }),
    })
    .nullable(),
})

export type SpecBefore = z.infer<typeof beforeSchema>['before']

/** GET /api/runs/:run/plan/request: the work that a plan describes. */
export const planRequestSchema = z.object({
  run: z.string(),
  spec: z.object({ text: z.string(), source: z.string() }),
  stories: z.array(plannedSchema).readonly(),
  /** The options of the plan, and the branch that it was made for. */
  kept: typed<KeptOptions>(z.looseObject({})),
})

/** Query of GET /api/runs/:run/recording. */
export const recordingQuerySchema = z.object({
  /** A recording for `editor` lacks the lanes that write or read hidden tests. */
  for: z.enum(['user', 'editor']),
})

type Turn = Readonly<Record<string, unknown>>

/** GET /api/runs/:run/recording: a Run as a replay file plays it again; null before its start. */
export const recordingSchema = z.object({
  recording: typed<{ readonly version: 1; readonly lanes: Readonly<Record<string, readonly Turn[]>> }>(
    z.looseObject({ version: z.literal(1), lanes: z.record(z.string(), z.array(z.unknown())) }),
  ).nullable(),
})
