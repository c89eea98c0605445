import { z } from 'zod'
import { type RecordQuery, recordQueries } from '../domain/hub/record-queries.ts'
import { limits } from '../domain/limits.ts'
import type { DeepReadonly } from './route.ts'

const id = z.string().max(500)
const some = id.optional()
const count = z.int().min(0).max(1e15)
const limit = z.int().min(1).max(1_000)
const states = z.array(z.string().max(50)).max(50)
const byRun = z.tuple([id])
const nothing = z.tuple([])

/** What each query is asked with. */
export const recordArguments = {
  machine: byRun,
  machineOf: z.tuple([id, id]),
  machines: z.tuple([z.strictObject({ kind: id, run: some, states: states.optional() })]),
  messages: z.tuple([id, count.optional()]),
  toolExecution: z.tuple([id, count, count]),
  modelCalls: z.tuple([id, some]),
  events: z.tuple([z.strictObject({ run: some, after: count, limit })]),
  lastEvent: nothing,
  recentEvents: z.tuple([
    z.strictObject({
      run: id,
      story: some,
      types: states.optional(),
      text: some,
      before: count.optional(),
      limit,
    }),
  ]),
  toolCallCounts: byRun,
  verification: byRun,
  verifications: z.tuple([id, some]),
  flakyTests: nothing,
  chat: z.tuple([
    z.strictObject({
      run: id,
      story: id.nullish(),
      after: some,
      limit: limit.optional(),
      postType: z.enum(['chat', 'reply', 'escalate']).optional(),
    }),
  ]),
  totals: z.tuple([id, some]),
  spent: z.tuple([id, some]),
  spending: byRun,
  pendingCommands: nothing,
  commandApplied: byRun,
  forgeCalls: byRun,
  isIdle: byRun,
} as const satisfies Readonly<Record<RecordQuery, z.ZodType>>

/** POST /api/records: queries that are answered together, in their order. */
export const readRecordsSchema = z.strictObject({
  queries: z
    .array(z.strictObject({ query: z.enum(recordQueries), args: z.array(z.unknown()).max(3) }))
    .min(1)
    .max(limits.hub.queries),
})

export type ReadRecords = DeepReadonly<z.output<typeof readRecordsSchema>>

/** Rows as this version keeps them: see `protocol` of GET /api/hub. A map is a list of pairs. */
export const recordsSchema = z.object({ answers: z.array(z.unknown()) })

/** Query of GET /api/hub. */
export const hubQuerySchema = z.object({
  /** A commit that the client would start from. */
  commit: z
    .string()
    .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the whole id of a commit')
    .optional(),
})

/** GET /api/hub: what a client must know of a hub before it works with it. */
export const hubFactsSchema = z.object({
  version: z.string(),
  /** Of what clients and hubs say to each other; both must have the same. */
  protocol: z.int(),
  /** Whose token it is, and what that may do. */
  name: z.string(),
  role: z.enum(['viewer', 'operator', 'admin', 'worker', 'monitor']),
  /** The name of the repository's folder. */
  repository: z.string(),
  /** The commit that runs start from where none is named; null where there is none. */
  head: z.string().nullable(),
  /** Whether the repository has the asked commit. */
  known: z.boolean(),
  /** The commits without parents that its head stands on. */
  roots: z.array(z.string()),
  /** The public key (PEM) of its receipts; null before the first. */
  receipt_key: z.string().nullable(),
})

export type HubFacts = z.infer<typeof hubFactsSchema>
