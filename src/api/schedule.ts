import { z } from 'zod'
import { storyStates } from '../domain/story/story-machine.ts'

/** ISO 8601. */
const time = z.string()

/** What a story does in a span: what it waits for, or who works on it. */
export const phases = [
  'waiting',
  'planning',
  'coding',
  'verifying',
  'reviewing',
  'merging',
  'asking',
  'paused',
] as const

export type Phase = (typeof phases)[number]

const spanSchema = z.object({
  phase: z.enum(phases),
  from: time,
  /** Null for the one that goes on. */
  to: time.nullable(),
  /** What happens in it, or why the story waits, in words. */
  why: z.string(),
})

export type Span = z.infer<typeof spanSchema>

/** GET /api/runs/:run/schedule: when what was done of each story, and why each waits. */
export const scheduleSchema = z.object({
  from: time,
  /** The last moment that is known; with `live` time goes on. */
  to: time,
  live: z.boolean(),
  /** In the order of the plan. */
  stories: z.array(
    z.object({
      story: z.string(),
      title: z.string(),
      state: z.enum(storyStates),
      depends_on: z.array(z.string()),
      /** It is on the critical path. */
      critical: z.boolean(),
      spans: z.array(spanSchema),
    }),
  ),
  /**
   * The chain of stories that has decided how long the Run takes, the first one first; and what
   * each had to wait for before it could start. While the Run goes on it leads to the story that
   * the longest chain of open ones ends with.
   */
  critical_path: z.array(
    z.object({
      story: z.string(),
      after: z.enum(['start', 'dependency', 'workspace']),
      why: z.string(),
    }),
  ),
  /** Dollars used up to each moment, growing. */
  spending: z.array(z.object({ at: time, cost_usd: z.number() })),
  /** Calls whose price is not known, and that are not in it. */
  unpriced: z.int(),
})

export type Schedule = z.infer<typeof scheduleSchema>
