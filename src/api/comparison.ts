import { z } from 'zod'
import { storyStates } from '../domain/story/story-machine.ts'
import { runLineSchema } from './runs.ts'

const run = z.string().min(1).max(100)

/** Query of GET /api/comparison: two Runs. */
export const comparisonQuerySchema = z.object({ a: run, b: run })

const lines = z.object({ added: z.int(), removed: z.int() })

/** What became of findings of reviews, of the gate and of people. */
const findingCounts = z.object({ open: z.int(), accepted: z.int(), closed: z.int() })

const statuses = z.array(z.enum(['PASS', 'FAIL', 'INFRA_ERROR']))

const comparedRunSchema = z.object({
  run: runLineSchema,
  /** From when it was asked for until it came to rest, or now; milliseconds. */
  duration_ms: z.number(),
  /** How many verifications ended in which way. */
  verifications: z.object({ PASS: z.int(), FAIL: z.int(), INFRA_ERROR: z.int() }),
  /** How many reviews were asked for. */
  reviews: z.int(),
  findings: findingCounts,
  /** What was built; null where nothing was, or where git keeps it no more. */
  stat: lines.extend({ files: z.int() }).nullable(),
})

export type ComparedRun = z.infer<typeof comparedRunSchema>

const comparedStorySchema = z.object({
  id: z.string(),
  state: z.enum(storyStates),
  /** Of its verifications, in their order. */
  verdicts: statuses,
  reviews: z.int(),
  findings: findingCounts,
  /** The findings themselves, the first 50. Never trusted. */
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
  /** Calls whose price is not known. */
  unpriced: z.int(),
  tokens: z.int(),
  /** From its first move to its end, or the last one that is known; null before it has begun. */
  duration_ms: z.number().nullable(),
})

export type ComparedStory = z.infer<typeof comparedStorySchema>

/** GET /api/comparison: two Runs side by side. */
export const comparisonSchema = z.object({
  a: comparedRunSchema,
  b: comparedRunSchema,
  /** Both were asked for with the same words, and not with the same title alone. */
  same_request: z.boolean(),
  /** Both started from the same commit; null while one has not started. */
  same_base: z.boolean().nullable(),
  /** What they were told differently, by name; null where one has no such value. */
  settings: z.array(z.object({ name: z.string(), a: z.string().nullable(), b: z.string().nullable() })),
  /** Stories of the same id, else of the same title, stand together; null where a Run has none. */
  stories: z.array(
    z.object({ title: z.string(), a: comparedStorySchema.nullable(), b: comparedStorySchema.nullable() }),
  ),
  /** Changed files of either, the first 200 by name; `count` has all. Null: not changed there. */
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
