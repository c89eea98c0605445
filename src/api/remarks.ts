import { z } from 'zod'
import { limits } from '../domain/limits.ts'
import { remarkStates } from '../domain/remark/remark.ts'
import { handedSchema } from './commands.ts'
import { commit } from './lines.ts'

const { batch, textChars, hunkChars, keyChars, authorChars } = limits.remark

/** One remark as it is handed in, in a file or over HTTP. */
export const newRemarkSchema = z.strictObject({
  text: z.string().min(1).max(textChars),
  /** A file of the change, from the top of the repository; left out for the whole change. */
  path: z.string().min(1).max(1_000).optional(),
  /** Its first and last line; left out for the whole file. */
  start: z.int().min(1).optional(),
  end: z.int().min(1).optional(),
  /** On which side of the diff the lines are counted. */
  side: z.enum(['old', 'new']).default('new'),
  /** The part of the diff that was shown. */
  hunk: z.string().max(hunkChars).optional(),
  /** Who makes it; left out for the user. */
  author: z.string().min(1).max(authorChars).optional(),
  /** Id of the remark that it answers, such as `F-3`: it stands in the thread of that one. */
  reply_to: z
    .string()
    .regex(/^F-\d{1,9}$/, 'must be the id of a remark, such as F-3')
    .optional(),
  /** The same key is the same remark; left out, the same words about the same lines are. */
  key: z.string().min(1).max(keyChars).optional(),
})

export type NewRemarkInput = z.input<typeof newRemarkSchema>

export const newRemarksSchema = z.array(newRemarkSchema).min(1).max(batch)

/** POST /api/runs/:run/remarks: a batch, about the Run or one of its stories. */
export const submitReviewSchema = z.strictObject({
  story: z.string().min(1).max(200).optional(),
  /** The commit whose lines they are about, if it is not the newest snapshot. */
  sha: commit.optional(),
  remarks: newRemarksSchema,
})

export type SubmitReview = z.input<typeof submitReviewSchema>

/** `follow_up`: the Run that works on the remarks if theirs has ended. */
export const submittedReviewSchema = handedSchema.extend({ follow_up: z.string() })

export const remarkSchema = z.object({
  /** Its id as a finding; null while nobody has taken it in. */
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
  /** Id of the remark that began its thread; null for one that begins a thread. */
  reply_to: z.string().nullable(),
  /** The verified commit that settles it. */
  commit: z.string().nullable(),
  /** The answer of who worked on it, or why nothing came of it. */
  reply: z.string().nullable(),
  /** The Run that works on it after its own has ended. */
  follow_up: z.object({ run: z.string(), state: z.string() }).nullable(),
})

export type RemarkAnswer = z.infer<typeof remarkSchema>

export const remarkListSchema = z.object({ remarks: z.array(remarkSchema) })
