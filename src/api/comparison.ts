import { z } from 'zod'
import { storyStates } from '../domain/story/story-machine.ts'
import { runLineSchema } from './runs.ts'

const run = z.string().min(1).max(100)

/** Query of GET /api/comparison: two Runs. */
export const comparisonQuerySchema = z.object({ a: run, b: run })

const lines = z.object({ added: z.int(), removed: z.int() })

/** Counts of the findings of reviews, of the gate and of people, by state. */
const findingCounts = z.object({ open: z.int(), accepted: z.int(), closed: z.int() })

const statuses = z.array(z.enum(['PASS', 'FAIL', 'INFRA_ERROR']))

const comparedRunSchema = z.object({
  run: runLineSchema,
  /** Milliseconds from the request until the Run came to rest, or until now. */
  duration_ms: z.number(),
  /** The number of verifications by status. */
  verifications: z.object({ PASS: z.int(), FAIL: z.int(), INFRA_ERROR: z.int() }),
  /** The number of requested reviews. */
  reviews: z.int(),
  findings: findingCounts,
  /** The size of the change; null if there is none, or if git no longer has it. */
  stat: lines.extend({ files: z.int() }).nullable(),
})

export type ComparedRun = z.infer<typeof comparedRunSchema>

const comparedStorySchema = z.object({
  id: z.string(),
  state: z.enum(storyStates),
  /** The statuses of its verifications, in order. */
  verdicts: statuses,
  reviews: z.int(),
  findings: findingCounts,
  /** The first 50 findings. Untrusted. */
  claims: z.array(
    z.object({
      id: z.string(),
      severity: z.enum(['blocker', 'major', 'minor']),
      file: z.string(),
      claim: z.string(),
      state: z.enum(['open', 'closed', 'accepted']),
    }),
  ),
  cost_usd: z.number(),
  /** The number of calls whose price is unknown. */
  unpriced: z.int(),
  tokens: z.int(),
  /**
   * Milliseconds from the story's first move to its end, or to its last known move; null until it
   * has begun.
   */
  duration_ms: z.number().nullable(),
})

export type ComparedStory = z.infer<typeof comparedStorySchema>

/** GET /api/comparison: two Runs side by side. */
export const comparisonSchema = z.object({
  a: comparedRunSchema,
  b: comparedRunSchema,
  /** True if the requests are equal in all of their words, not in their titles alone. */
  same_request: z.boolean(),
  /** True if both Runs started from one commit; null until both have started. */
  same_base: z.boolean().nullable(),
  /** Settings with different values, by name; null if a Run lacks the value. */
  settings: z.array(z.object({ name: z.string(), a: z.string().nullable(), b: z.string().nullable() })),
  /** Stories, paired by id or else by title; null if a Run has no such story. */
  stories: z.array(
    z.object({ title: z.string(), a: comparedStorySchema.nullable(), b: comparedStorySchema.nullable() }),
  ),
  /**
   * The first 200 files, by name, that either Run changed; `count` is the number of all. Null for a
   * file that a Run did not change.
   */
  files: z.object({
    count: z.int(),
    list: z.array(
      z.object({
        path: z.string(),
        a: lines.nullable(),
        b: lines.nullable(),
      }),
    ),
  }),
})

export type Comparison = z.infer<typeof comparisonSchema>
