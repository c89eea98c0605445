import { z } from 'zod'
import { limits } from '../domain/limits.ts'

/** ISO 8601. */
const time = z.string()
const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be the whole id of a commit')

/**
 * The state of a signature: `good`, signed with a key that is not trusted here, broken in some way
 * (`fault` says how), or no note at all.
 */
const receiptStates = ['good', 'unknown_key', 'broken', 'not_noted'] as const

/** Why a receipt proves nothing, and what to do. */
const faultSchema = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** What a receipt says. Texts in it are anybody's unless its state is `good`. */
const saidSchema = z.object({
  run: z.string(),
  kind: z.enum(['spec', 'task']),
  branch: z.string(),
  story: z.object({ id: z.string(), title: z.string(), edited_by: z.string().exactOptional() }),
  made_at: time,
  run_id: z.string(),
  /** The same as `run_id`, for clients of 0.9. */
  verification: z.string(),
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
  steps: z.array(z.object({ name: z.string(), exit_code: z.int().nullable(), duration_ms: z.number() })),
  tests: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }).nullable(),
  /** Those that somebody took as they are, and the number of those that were open or settled. */
  accepted: z.array(
    z.object({
      id: z.string(),
      by: z.enum(['architect', 'human']).nullable(),
      /** On a hub, the name of that person. */
      name: z.string().nullable(),
      claim: z.string(),
    }),
  ),
  /** Names of the people who answered a question about it. */
  answered_by: z.array(z.string()),
  /** A person has landed it although others held it. */
  landed_anyway: z.object({ reason: z.string(), by: z.string(), held_by: z.string() }).nullable(),
  open: z.int(),
  settled: z.int(),
  /** The model that approved it; null where nobody reviewed it. Empty for a human. */
  reviewer: z.object({ agent: z.enum(['architect', 'human']), model: z.string() }).nullable(),
})

/** One commit with what is proven of it. */
export const receiptLineSchema = z.object({
  commit: z.string(),
  /** The first line of its message, and its date. */
  subject: z.string(),
  at: time,
  state: z.enum(receiptStates),
  fault: faultSchema.nullable(),
  /** Id of the key that the note names; null without one. */
  key: z.string().nullable(),
  /** SHA-256 of the note, in hex; null without one. */
  digest: z.string().nullable(),
  /** null where the note cannot be read, or does not match its signature. */
  said: saidSchema.nullable(),
  /** When this was checked. */
  checked_at: time,
})

export type ReceiptLine = z.infer<typeof receiptLineSchema>

export const receiptListQuerySchema = z.object({
  /** Words that all have to occur: in ids, titles, branches, subjects. */
  q: z.string().max(200).optional(),
  state: z.enum(receiptStates).optional(),
  /** The last commit of the page before. */
  after: commit.optional(),
})

/** GET /api/receipts: newest first, a page at a time. */
export const receiptListSchema = z.object({
  receipts: z.array(receiptLineSchema),
  /** As many commits match. */
  matching: z.int(),
  /** As many commits have a receipt, or should have one. */
  total: z.int(),
  /** Commit to go on behind; null at the end. */
  next: z.string().nullable(),
  /** Ids of the keys that are trusted here. */
  keys: z.array(z.string()),
  /** Notes about commits that are not in this repository. */
  elsewhere: z.int(),
  /** The command line that fetches notes; null for a repository without remotes. */
  fetch: z.string().nullable(),
})

export type ReceiptList = z.infer<typeof receiptListSchema>

export const receiptChecksQuerySchema = z.object({
  /** Whole ids, with commas between them. */
  commits: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(commit).min(1).max(limits.dashboard.receiptChecks)),
})

/** GET /api/receipts/checks: each is read and verified again. */
export const receiptChecksSchema = z.object({ receipts: z.array(receiptLineSchema) })

export type ReceiptChecks = z.infer<typeof receiptChecksSchema>

/** GET /api/receipts/:commit. */
export const receiptSchema = receiptLineSchema.extend({
  /** The note, byte for byte: a DSSE envelope. null without a note. */
  envelope: z.string().nullable(),
  /** The whole receipt; null where `said` is. Never trusted. */
  receipt: z.unknown(),
})

export type ReceiptDetail = z.infer<typeof receiptSchema>
