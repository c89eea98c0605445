import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { remarkStates } from '../domain/remark/remark.ts'
import { handedSchema } from './commands.ts'
import { commit } from './lines.ts'

const { batch, textChars, hunkChars, keyChars, authorChars } = limits.remark

/** One remark as it is submitted, in a file or over HTTP. */
export const newRemarkSchema = z.strictObject({
  text: z.string().min(1).max(textChars),
  /** A file of the change, relative to the root of the repository; absent for the whole change. */
  path: z.string().min(1).max(1_000).optional(),
  /** The first and the last line; absent for the whole file. */
  start: z.int().min(1).optional(),
  end: z.int().min(1).optional(),
  /** The side of the diff whose lines are counted. */
  side: z.enum(['old', 'new']).default('new'),
  /** The part of the diff that the author saw. */
  hunk: z.string().max(hunkChars).optional(),
  /** The author; absent for the user. */
  author: z.string().min(1).max(authorChars).optional(),
  /** Id of the remark that it answers, such as `F-3`. Both then belong to one thread. */
  reply_to: z
    .string()
    .regex(/^F-\d{1,9}$/, 'must be the id of a remark, such as F-3')
    .optional(),
  /** An idempotency key. Without one, equal words about equal lines count as one remark. */
  key: z.string().min(1).max(keyChars).optional(),
})

export type NewRemarkInput = z.input<typeof newRemarkSchema>

export const newRemarksSchema = z.array(newRemarkSchema).min(1).max(batch)

/** POST /api/runs/:run/remarks: several remarks, about the Run or one of its stories. */
export const submitReviewSchema = z.strictObject({
  story: z.string().min(1).max(200).optional(),
  /** The commit whose lines the remarks name, if it is not the newest snapshot. */
  sha: commit.optional(),
  remarks: newRemarksSchema,
})

export type SubmitReview = z.input<typeof submitReviewSchema>

/** `follow_up`: the Run that will work on the remarks if their own Run has ended. */
export const submittedReviewSchema = handedSchema.extend({ follow_up: z.string() })

export const remarkSchema = z.object({
  /** The remark's id as a finding; null until an owner has applied the remark. */
  id: z.string().nullable(),
  key: z.string(),
  story: z.string().nullable(),
  author: z.string(),
  source: z.string(),
  path: z.string().nullable(),
  start: z.int().nullable(),
  end: z.int().nullable(),
  side: z.enum(['old', 'new']),
  hunk: z.string().nullable(),
  text: z.string(),
  state: z.enum(remarkStates),
  /** Id of the remark that began its thread; null for that remark itself. */
  reply_to: z.string().nullable(),
  /** The verified commit that resolves it. */
  commit: z.string().nullable(),
  /** The reply of the agent that worked on it, or the reason why nothing was changed. */
  reply: z.string().nullable(),
  /** The follow-up Run that works on it after its own Run has ended. */
  follow_up: z.object({ run: z.string(), state: z.string() }).nullable(),
})

export type RemarkAnswer = z.infer<typeof remarkSchema>

export const remarkListSchema = z.object({ remarks: z.array(remarkSchema) })
