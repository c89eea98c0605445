import { z } from 'zod'
import { acceptanceArms, arms, verdicts } from '../domain/bench/attempt-record.ts'

/** ISO 8601. */
const time = z.string()

const verdictSchema = z.enum(verdicts)

/** A run of `drydock bench` that this installation knows. */
export const benchLineSchema = z.object({
  id: z.string(),
  suite: z.string(),
  /** Where its results are. */
  folder: z.string(),
  /** The models as the command line named them, or which solutions were played. */
  models: z.string(),
  /** Of Drydock. */
  version: z.string(),
  /** `stopped`: no process works on it, and attempts are missing. */
  state: z.enum(['going', 'finished', 'stopped']),
  started_at: time,
  /** When it wrote last; null while it goes. */
  ended_at: time.nullable(),
  /** Attempts that are wanted, and of them those that have ended. */
  planned: z.int(),
  finished: z.int(),
  verdicts: z.record(verdictSchema, z.int()),
  /** Attempts of a self-test that came to something else than expected; null of any other bench. */
  unexpected: z.int().nullable(),
  /** Null while the price of a call is not known. */
  cost_usd: z.number().nullable(),
  tokens: z.number(),
})

export type BenchLine = z.infer<typeof benchLineSchema>

/** GET /api/benches: newest first. */
export const benchListSchema = z.object({ benches: z.array(benchLineSchema) })

export type BenchList = z.infer<typeof benchListSchema>

const rateSchema = z.object({
  hits: z.int(),
  of: z.int(),
  /** With 95 % confidence; null without any attempt. */
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
})

export type Rate = z.infer<typeof rateSchema>

/** The figures of one arm. Attempts in which nothing was measured count in `errors` alone. */
export const armSummarySchema = z.object({
  arm: z.enum(arms),
  /** With or without tests that an architect writes; null where the configuration decides. */
  acceptance: z.enum(acceptanceArms).nullable(),
  attempts: z.int(),
  errors: z.int(),
  resolved: rateSchema,
  false_pass: rateSchema,
  /** Null in the arm without a gate, which blocks nothing. */
  false_block: rateSchema.nullable(),
  /** The share of handed-over work with red hidden tests; null without any, or without a gate. */
  visible_hidden_gap: rateSchema.nullable(),
  /** The share of attempts that acceptance tests held in vain; null where none ran. */
  acceptance_false_block: rateSchema.nullable(),
  /** Means of an attempt. */
  questions: z.number(),
  returns: z.number(),
  /** Null while the price of a call is not known. */
  cost_usd: z.number().nullable(),
  cost_usd_per_resolved: z.number().nullable(),
  tokens: z.number(),
  /** Median of an attempt, in milliseconds. */
  wall_ms: z.number().nullable(),
})

/** One attempt of a task. */
export const benchAttemptSchema = z.object({
  /** Names it in addresses and in files. */
  name: z.string(),
  task: z.string(),
  arm: z.enum(arms),
  repeat: z.int(),
  play: z.string().nullable(),
  acceptance: z.enum(acceptanceArms).nullable(),
  /** What a self-test expects; null where nothing is expected. */
  expected: verdictSchema.nullable(),
  state: z.enum(['waiting', 'working', 'finished']),
  /** Of one under way. */
  since: time.nullable(),
  /** Of one that has ended; null before. */
  result: z
    .object({
      verdict: verdictSchema,
      /** The outcome of the run, as `result` says it, or `TIMEOUT`. */
      outcome: z.string(),
      delivered: z.boolean(),
      /** Whether acceptance tests held it; null where none ran. */
      held_by_acceptance: z.boolean().nullable(),
      questions: z.int(),
      returns: z.int(),
      cost_usd: z.number().nullable(),
      tokens: z.number(),
      /** Milliseconds of the run, without the hidden tests. */
      wall_ms: z.number(),
      base: z.string(),
      commit: z.string(),
      /** Of an attempt in which nothing was measured. */
      error: z.string().nullable(),
    })
    .nullable(),
})

export type BenchAttempt = z.infer<typeof benchAttemptSchema>

/** GET /api/benches/:bench: the attempts in the order in which they are made. */
export const benchSchema = benchLineSchema.extend({
  arms: z.array(armSummarySchema),
  attempts: z.array(benchAttemptSchema),
})

export type Bench = z.infer<typeof benchSchema>

/** GET /api/benches/:bench/attempts/:attempt: with what its folder keeps of it. */
export const benchAttemptDetailSchema = benchAttemptSchema.extend({
  /** What the hidden tests said, and the last lines of each. */
  hidden: z.array(z.object({ command: z.string(), status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']), tail: z.string() })),
  /** What it has changed, as a patch; null before it has ended. */
  patch: z.object({ text: z.string(), truncated: z.boolean() }).nullable(),
  /** Its newest, newest first. */
  events: z.array(
    z.object({
      type: z.string(),
      story: z.string().nullable(),
      at: time.nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  /** Whether there are older ones, in its file of events. */
  older_events: z.boolean(),
})

export type BenchAttemptDetail = z.infer<typeof benchAttemptDetailSchema>
