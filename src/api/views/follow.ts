import { z } from 'zod'
import type { Again } from '../../domain/run/again.ts'
import type { Result } from '../../domain/run/result.ts'
import { runStates } from '../../domain/run/run-machine.ts'
import { eventSchema } from '../events.ts'
import { openQuestionSchema } from './status.ts'
import { typed } from './typed.ts'

/** Ids of Runs, with commas between. */
const runsSchema = z.string().max(50_000)

/** Query of GET /api/news. */
export const newsQuerySchema = z.object({
  runs: runsSchema,
  /** The `after` of the answer before; without it no event is told of. */
  after: z.coerce.number().int().min(0).optional(),
})

/** GET /api/news: the events of Runs after one, oldest first. */
export const newsSchema = z.object({
  events: z.array(eventSchema).readonly(),
  /** The newest event that was looked at, of any Run. */
  after: z.int(),
  /** True if there are more events than fit into one answer. */
  more: z.boolean(),
})

export type News = z.infer<typeof newsSchema>

/** Query of GET /api/standing. */
export const standingQuerySchema = z.object({
  runs: runsSchema,
  /** The key of a command about them. */
  command: z.string().max(500).optional(),
})

const standingRunSchema = z.object({
  run: z.string(),
  state: z.enum(runStates),
  ended: z.boolean(),
  /** A person has paused it. */
  held: z.boolean(),
  /** The message and the next try of a stop by the infrastructure. */
  error: z.string().nullable(),
  again: typed<Again>(z.object({ at: z.string(), tries: z.int() })).nullable(),
  /** None of its work runs or is queued. */
  idle: z.boolean(),
  open: z.array(openQuestionSchema).readonly(),
  /** The newest result of the Run. */
  last: typed<Result>(z.looseObject({ status: z.string(), kind: z.string() })).nullable(),
})

export type StandingRun = z.infer<typeof standingRunSchema>

/** GET /api/standing: what each of the Runs waits for. */
export const standingSchema = z.object({
  /** The command was applied, or none was named. */
  applied: z.boolean(),
  /** The Runs that an owner has taken up. */
  runs: z.array(standingRunSchema).readonly(),
  /** A stored command about one of them is not applied yet. */
  pending: z.boolean(),
})

export type Standing = z.infer<typeof standingSchema>

/** Query of GET /api/results and GET /api/crews. */
export const runsQuerySchema = z.object({ runs: runsSchema })

/** GET /api/results: of each Run as it is now; null for one that no owner has taken up. */
export const resultsSchema = z.object({
  results: z
    .array(
      typed<Omit<Result, 'status'> & { readonly status: string }>(z.looseObject({ status: z.string() })).nullable(),
    )
    .readonly(),
})

/** GET /api/crews: the progress of the Runs that have a crew. */
export const crewsSchema = z.object({
  crews: z
    .array(
      z.object({
        run: z.string(),
        state: z.enum(runStates),
        stories: z.array(z.object({ id: z.string(), state: z.string(), attempt: z.int() })).readonly(),
        /** Ids of the messages that wait for a human. */
        questions: z.array(z.string()).readonly(),
        tokens: z.int(),
        /** null while the price of a call is not known. */
        cost_usd: z.number().nullable(),
      }),
    )
    .readonly(),
})

export type Crews = z.infer<typeof crewsSchema>
