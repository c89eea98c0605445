import { z } from 'zod'
import type { Suspension } from '../../domain/lane/lane.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { GoneBranch } from '../../domain/run/gone-branch.ts'
import { pauseSignals } from '../../domain/run/pause-cause.ts'
import { priorities } from '../../domain/share/priority.ts'
import type { UsedBound } from '../../domain/story/bounds.ts'
import { outcomeSchema } from '../outcome.ts'
import { shortSchema } from './budget.ts'
import { typed } from './typed.ts'

/** ISO 8601. */
const time = z.string()

/** A change at a forge that has the result of a Run. */
export const changeSchema = z.object({
  number: z.int(),
  url: z.string(),
  state: z.enum(['open', 'closed', 'merged']),
})

/** A question to a human that nobody has answered, with its message. */
export const openQuestionSchema = typed<OpenEscalation>(
  z.looseObject({ message: z.looseObject({ id: z.string(), content: z.string() }), n: z.int() }),
)

const usedBoundsSchema = z
  .array(typed<UsedBound>(z.looseObject({ name: z.string(), used: z.number(), most: z.number() })))
  .readonly()

const crewStatusSchema = z.object({
  /**
   * SCOPING or STORY_GENERATION, REQUEST or ESCALATED while one of its requests is, else
   * MONITORING.
   */
  architect: z.string(),
  done: z.int(),
  stories: z.int(),
  /** Ids of the messages that wait for a human. */
  escalations: z.array(z.string()).readonly(),
  /** The people of a hub whom these are for, by the ids of the messages. */
  assigned: z.record(z.string(), z.string()).exactOptional(),
})

export type CrewStatus = z.infer<typeof crewStatusSchema>

/** One Run as `drydock status` shows it. */
export const statusLineSchema = z.object({
  run: z.string(),
  kind: z.enum(['spec', 'interview', 'task', 'verify', 'scout']),
  /** The state of the Run; INTERRUPTED, PAUSED or WAITS_FOR_YOU where nobody works on it. */
  state: z.string(),
  outcome: outcomeSchema,
  /** Names the holder of its result, as "1 comment of Ada"; null for nothing. */
  held_by: z.string().nullable(),
  /** State of a task's story. */
  story: z.string().nullable(),
  attempt: z.int().nullable(),
  /** PASS, FAIL or INFRA_ERROR of a verification that was asked for alone. */
  verdict: z.string().nullable(),
  /** The remark beside its PASS that no test is known to have run. */
  tests_remark: z.string().nullable(),
  title: z.string(),
  /** The person who asked for it on a hub; null for the user of the machine. */
  started_by: z.string().nullable(),
  priority: z.enum(priorities),
  branch: z.string().nullable(),
  /** The change at the forge; null while there is none. */
  change: changeSchema.nullable(),
  error: z.string().nullable(),
  /** The next try of a Run in ERROR, and the number of earlier ones; null without a next one. */
  again: z.object({ at: time, tries: z.int() }).nullable(),
  /** The reason why a task's editor was stopped, with figures; else null. */
  editor_stopped: z.string().nullable(),
  /** The part of its bounds that a task has used. */
  bounds: usedBoundsSchema.optional(),
  /** The side that a paused Run waits for. */
  paused_by: z.enum(['user', 'budget']).nullable(),
  /** The person, or the signal, that paused it. */
  paused_person: z.string().exactOptional(),
  paused_signal: z.enum(pauseSignals).exactOptional(),
  /** A human pauses it, and something of it is still in progress. */
  pausing: z.boolean(),
  /** Set while the Run is PAUSED for its budget. */
  short: shortSchema.nullable(),
  /** Lanes of it that wait for their provider, while it is worked on. */
  paused: typed<Suspension & { readonly lanes: number }>(
    z.looseObject({ reason: z.string(), until: time, lanes: z.int() }),
  ).nullable(),
  /** The note that a hook of the user's failed, while there still is something to be told of. */
  untold: z.string().nullable(),
  /** A line for each model that was out, while the Run has not ended. */
  outages: z.array(z.string()).readonly(),
  /** The deleted branch of the result; absent while it exists. */
  gone: typed<GoneBranch>(z.looseObject({ taken: z.boolean(), message: z.string(), todo: z.string() })).optional(),
  /** Findings of the gate on a task's result that nobody has accepted. */
  open_findings: z.int(),
  calls: z.int(),
  toolCalls: z.int(),
  /** Includes the possible usage of calls whose end is unknown. */
  tokens: z.int(),
  /** null while the price of a call is not known. */
  cost_usd: z.number().nullable(),
  /** Set for a crew. */
  crew: crewStatusSchema.optional(),
})

export type StatusLine = z.infer<typeof statusLineSchema>

/** Query of GET /api/status. */
export const statusQuerySchema = z.object({
  /** `recent` stands for the unfinished Runs and those that ended last. */
  runs: z.enum(['recent', 'all']).default('recent'),
})

/** GET /api/status: Runs as people see them, oldest first. */
export const statusListSchema = z.object({
  lines: z.array(statusLineSchema).readonly(),
  /** Runs that ended earlier. */
  left_out: z.int(),
})

export type StatusList = z.infer<typeof statusListSchema>

/** Query of GET /api/status/run. */
export const runStatusQuerySchema = z.object({ id: z.string().max(500) })

/** A story of a crew in a line of a table. */
export const briefStorySchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.string(),
  /** The name of the person or the cause that paused a story in PAUSED; else null. */
  paused_by: z.string().nullable(),
  slot: z.string().nullable(),
  /** The attempt in the verify loops; null before the story has started. */
  attempt: z.int().nullable(),
  reviews: z.int(),
  tokens: z.int(),
  /** null while the price of a call is not known. */
  cost_usd: z.number().nullable(),
  /** The multiple of the other stories' median; null for nothing remarkable. */
  against_peers: z.object({ calls: z.number().nullable(), time: z.number().nullable() }),
  /** The reason why its editor was stopped, with figures; null while it is not. */
  editor_stopped: z.string().nullable(),
  /** The part of its bounds that is used; empty for nothing. */
  bounds: usedBoundsSchema,
})

export type BriefStoryLine = z.infer<typeof briefStorySchema>

/** GET /api/status/run. */
export const runStatusSchema = z.object({
  line: statusLineSchema,
  /** The stories that have no slot because of other Runs or of a bound; null where none waits. */
  waits_for_slot: z.object({ stories: z.array(z.string()).readonly(), sentence: z.string() }).nullable(),
  /** Set for a Run with an architect; null for any other Run. */
  crew: z
    .object({ stories: z.array(briefStorySchema).readonly(), open: z.array(openQuestionSchema).readonly() })
    .nullable(),
})

export type RunStatus = z.infer<typeof runStatusSchema>
