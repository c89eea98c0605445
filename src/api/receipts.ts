import { z } from 'zod'
import { limits } from '../domain/limits.ts'

/** An ISO 8601 time. */
const time = z.string()
const commit = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be the whole id of a commit')

/**
 * The state of a receipt: `good`; `unknown_key`, signed with a key that is not trusted here;
 * `broken`, for the reason in `fault`; `not_noted`, without a note.
 */
const receiptStates = ['good', 'unknown_key', 'broken', 'not_noted'] as const

/** The reason why a receipt proves nothing, with advice. */
const faultSchema = z.object({ code: z.string(), message: z.string(), todo: z.string() })

/** The content of a receipt. Its texts are untrusted unless its state is `good`. */
const saidSchema = z.object({
  run: z.string(),
  kind: z.enum(['spec', 'task']),
  branch: z.string(),
  story: z.object({ id: z.string(), title: z.string(), edited_by: z.string().exactOptional() }),
  made_at: time,
  run_id: z.string(),
  /** The value of `run_id` again, for clients of 0.9. */
  verification: z.string(),
  status: z.enum(['PASS', 'FAIL', 'INFRA_ERROR']),
  steps: z.array(z.object({ name: z.string(), exit_code: z.int().nullable(), duration_ms: z.number() })),
  tests: z.object({ passed: z.int(), failed: z.int(), skipped: z.int() }).nullable(),
  /** Accepted findings, and the numbers of open and resolved ones. */
  accepted: z.array(
    z.object({
      id: z.string(),
      by: z.enum(['architect', 'human']).nullable(),
      /** The name of the person who accepted it, on a hub; null elsewhere. */
      name: z.string().nullable(),
      claim: z.string(),
    }),
  ),
  /** Names of the people who answered a question about it. */
  answered_by: z.array(z.string()),
  /** Set if a person landed it in spite of holds. */
  landed_anyway: z.object({ reason: z.string(), by: z.string(), held_by: z.string() }).nullable(),
  open: z.int(),
  settled: z.int(),
  /** The model that approved it, empty for a human; null if nobody reviewed it. */
  reviewer: z.object({ agent: z.enum(['architect', 'human']), model: z.string() }).nullable(),
})

/** One commit with the state of its receipt. */
export const receiptLineSchema = z.object({
  commit: z.string(),
  /** The first line of its message, and its date. */
  subject: z.string(),
  at: time,
  state: z.enum(receiptStates),
  fault: faultSchema.nullable(),
  /** Id of the key that the note names; null without a note. */
  key: z.string().nullable(),
  /** SHA-256 of the note, in hex; null without a note. */
  digest: z.string().nullable(),
  /** Null if the note cannot be read, or does not match its signature. */
  said: saidSchema.nullable(),
  /** The time of this check. */
  checked_at: time,
})

export type ReceiptLine = z.infer<typeof receiptLineSchema>

export const receiptListQuerySchema = z.object({
  /** Words that must all occur in ids, titles, branches or subjects. */
  q: z.string().max(200).optional(),
  state: z.enum(receiptStates).optional(),
  /** The last commit of the previous page. */
  after: commit.optional(),
})

/** GET /api/receipts: one page, newest first. */
export const receiptListSchema = z.object({
  receipts: z.array(receiptLineSchema),
  /** The number of matching commits. */
  matching: z.int(),
  /** The number of commits that have a receipt, or should have one. */
  total: z.int(),
  /** The commit to pass as `after`; null at the end. */
  next: z.string().nullable(),
  /** Ids of the keys that are trusted here. */
  keys: z.array(z.string()),
  /** The number of notes about commits that are not in this repository. */
  elsewhere: z.int(),
  /** The command line that fetches notes; null for a repository without remotes. */
  fetch: z.string().nullable(),
})

export type ReceiptList = z.infer<typeof receiptListSchema>

export const receiptChecksQuerySchema = z.object({
  /** Full SHAs, separated by commas. */
  commits: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(commit).min(1).max(limits.dashboard.receiptChecks)),
})

/** GET /api/receipts/checks: reads and verifies each receipt again. */
export const receiptChecksSchema = z.object({ receipts: z.array(receiptLineSchema) })

export type ReceiptChecks = z.infer<typeof receiptChecksSchema>

/** GET /api/receipts/:commit: one receipt in full. */
export const receiptSchema = receiptLineSchema.extend({
  /** The note byte for byte, a DSSE envelope; null without a note. */
  envelope: z.string().nullable(),
  /** The whole receipt; null if `said` is null. Untrusted. */
  receipt: z.unknown(),
})

export type ReceiptDetail = z.infer<typeof receiptSchema>
