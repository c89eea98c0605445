import { z } from 'zod'
import { storyStates } from '../domain/story/story-machine.ts'

/** An ISO 8601 time. */
const time = z.string()

/** A story's activity in a time span: working or waiting, and for what. */
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
  /** Null for the current span. */
  to: time.nullable(),
  /** The activity, or the reason for the wait, in words. */
  why: z.string(),
})

export type Span = z.infer<typeof spanSchema>

/**
 * GET /api/runs/:run/schedule: the phases of each story over time, and the reason for each wait.
 */
export const scheduleSchema = z.object({
  from: time,
  /** The last known moment; with `live` the end is open. */
  to: time,
  live: z.boolean(),
  /** Stories in planned order. */
  stories: z.array(
    z.object({
      story: z.string(),
      title: z.string(),
      state: z.enum(storyStates),
      depends_on: z.array(z.string()),
      /** True if the story is on the critical path. */
      critical: z.boolean(),
      spans: z.array(spanSchema),
    }),
  ),
  /**
   * The chain of stories that determined the duration of the Run, first one first, each with its
   * wait. While the Run is in progress, ends with the last story of the longest open chain.
   */
  critical_path: z.array(
    z.object({
      story: z.string(),
      after: z.enum(['start', 'dependency', 'workspace']),
      why: z.string(),
    }),
  ),
  /** Cumulative dollars over time. */
  spending: z.array(z.object({ at: time, cost_usd: z.number() })),
  /** The number of calls whose price is unknown, which are not included. */
  unpriced: z.int(),
})

export type Schedule = z.infer<typeof scheduleSchema>
