import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { defineAnsweredLater, stated } from './tool.ts'

const id = z.string().min(1).max(40)

const finding = () =>
  z.strictObject({
    id: id
      .optional()
      .describe('id of a finding of an earlier round that is still open; leave it out for a new finding'),
    severity: z.enum(['blocker', 'major', 'minor']).describe('blocker and major hold the work, minor never does'),
    file: z.string().max(1_000).describe("relative to the repository; '' if it concerns no file"),
    line: z.int().min(1).optional(),
    claim: z.string().min(1).max(2_000).describe('what is wrong, and what would fix it'),
    evidence: z.string().min(1).max(4_000).describe('the code you have read that shows it, with file:line'),
  })

/** The input of a review, which has a verdict. */
export const replyInput = () =>
  z.strictObject({
    response: z.string().min(1).max(16_000),
    verdict: stated(z.enum(['APPROVED', 'NEEDS_CHANGES', 'REJECTED'])),
    findings: z.array(finding()).max(50).optional(),
    accepted: z.array(id).max(100).optional().describe('ids of findings that may stay as they are'),
    settled: z
      .array(id)
      .max(limits.remark.batch)
      .optional()
      .describe("ids of people's remarks that the change settles"),
  })

type Reply = z.infer<ReturnType<typeof replyInput>>

/** The input of an answer, which judges nothing. */
const answerInput = (): z.ZodType<Reply> => replyInput().pick({ response: true })

export const submitReply = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_reply',
  purpose: 'Answer and end. The last call of its turn.',
  input: answerInput,
  roles: ['architect_scoping', 'architect_question'],
})

export const submitReview = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_reply',
  purpose: 'Answer and end, with your verdict, and `findings` if there are any. The last call of its turn.',
  input: replyInput,
  roles: ['architect_review', 'architect_budget'],
})
