import { z } from 'zod'
import { acceptanceArms, arms, verdicts } from '../domain/bench/attempt-record.ts'

/** An ISO 8601 time. */
const time = z.string()

const verdictSchema = z.enum(verdicts)

/** A run of `drydock bench` that this installation knows about. */
export const benchLineSchema = z.object({
  id: z.string(),
  suite: z.string(),
  /** The folder with its results. */
  folder: z.string(),
  /** The models as the command line named them, or the names of the replayed solutions. */
  models: z.string(),
  /** The version of Drydock. */
  version: z.string(),
  /** `stopped`: attempts are missing, and no process works on them. */
  state: z.enum(['going', 'finished', 'stopped']),
  started_at: time,
  /** The time of its last result; null while it is running. */
  ended_at: time.nullable(),
  /** The number of planned attempts; `finished` is the number of those that have ended. */
  planned: z.int(),
  finished: z.int(),
  verdicts: z.record(verdictSchema, z.int()),
  /** The number of a self-test's attempts with an unexpected verdict; null for any other bench. */
  unexpected: z.int().nullable(),
  /** Null while the price of a call is unknown. */
  cost_usd: z.number().nullable(),
  tokens: z.number(),
})

export type BenchLine = z.infer<typeof benchLineSchema>

/** GET /api/benches: runs of `drydock bench`, newest first. */
export const benchListSchema = z.object({ benches: z.array(benchLineSchema) })

export type BenchList = z.infer<typeof benchListSchema>

const rateSchema = z.object({
  hits: z.int(),
  of: z.int(),
  /** The interval of 95 % confidence; null without any attempt. */
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
})

export type Rate = z.infer<typeof rateSchema>

/** The figures of one arm. Attempts without a measurement are only counted in `errors`. */
export const armSummarySchema = z.object({
  arm: z.enum(arms),
  /**
   * The variant with or without tests that an architect writes; null if the configuration decides.
   */
  acceptance: z.enum(acceptanceArms).nullable(),
  attempts: z.int(),
  errors: z.int(),
  resolved: rateSchema,
  false_pass: rateSchema,
  /** Null in the arm without a gate, which blocks nothing. */
  false_block: rateSchema.nullable(),
  /**
   * The share of delivered work whose hidden tests fail; null without any such work, or without a
   * gate.
   */
  visible_hidden_gap: rateSchema.nullable(),
  /** The share of attempts that acceptance tests blocked wrongly; null if none ran. */
  acceptance_false_block: rateSchema.nullable(),
  /** The mean per attempt. */
  questions: z.number(),
  returns: z.number(),
  /** Null while the price of a call is unknown. */
  cost_usd: z.number().nullable(),
  cost_usd_per_resolved: z.number().nullable(),
  tokens: z.number(),
  /** The median per attempt, in milliseconds. */
  wall_ms: z.number().nullable(),
})

/** One attempt of a task. */
export const benchAttemptSchema = z.object({
  /** The name of the attempt in URLs and file names. */
  name: z.string(),
  task: z.string(),
  arm: z.enum(arms),
  repeat: z.int(),
  play: z.string().nullable(),
  acceptance: z.enum(acceptanceArms).nullable(),
  /** The expected verdict of a self-test; null if there is no expectation. */
  expected: verdictSchema.nullable(),
  state: z.enum(['waiting', 'working', 'finished']),
  /** The start time of a running attempt; null otherwise. */
  since: time.nullable(),
  /** The result of an ended attempt; null until then. */
  result: z
    .object({
      verdict: verdictSchema,
      /** The outcome code of the run, as in `result`, or `TIMEOUT`. */
      outcome: z.string(),
      delivered: z.boolean(),
      /** True if acceptance tests blocked the work; null if none ran. */
      held_by_acceptance: z.boolean().nullable(),
      questions: z.int(),
      returns: z.int(),
      cost_usd: z.number().nullable(),
      tokens: z.number(),
      /** Milliseconds of the run, without the hidden tests. */
      wall_ms: z.number(),
      base: z.string(),
      commit: z.string(),
      /** The error of an attempt without a measurement; null otherwise. */
      error: z.string().nullable(),
    })
    .nullable(),
})

export type BenchAttempt = z.infer<typeof benchAttemptSchema>

/** GET /api/benches/:bench: the attempts in the order of execution. */
export const benchSchema = benchLineSchema.extend({
  arms: z.array(armSummarySchema),
  attempts: z.array(benchAttemptSchema),
})

export type Bench = z.infer<typeof benchSchema>

/** GET /api/benches/:bench/attempts/:attempt: includes the contents of its folder. */
export const benchAttemptDetailSchema = benchAttemptSchema.extend({
  /** The results of the hidden tests, with the last lines of each. */
  hidden: z.array(z.object({ command: z.string(), status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']), tail: z.string() })),
  /** The change as a patch; null until the attempt has ended. */
  patch: z.object({ text: z.string(), truncated: z.boolean() }).nullable(),
  /** The newest events, newest first. */
  events: z.array(
    z.object({
      type: z.string(),
      story: z.string().nullable(),
      at: time.nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  /** True if its file of events contains older ones. */
  older_events: z.boolean(),
})

export type BenchAttemptDetail = z.infer<typeof benchAttemptDetailSchema>
