import { z } from 'zod'
import { readingRequestRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

const id = z.string().min(1).max(40)

const finding = z.strictObject({
  id: id.optional().describe('of a finding of an earlier round that is still open; leave it out for a new one'),
  severity: z.enum(['blocker', 'major', 'minor']).describe('blocker and major hold the work, minor never does'),
  file: z.string().max(1_000).describe("relative to the repository; '' when it is about no file"),
  line: z.int().min(1).optional(),
  claim: z.string().min(1).max(2_000).describe('what is wrong, and what would make it right'),
  evidence: z.string().min(1).max(4_000).describe('what you have read that shows it, with file:line'),
})

/** Whether a verdict is needed depends on what was asked, which the workflow knows. */
export const replyInput = z.strictObject({
  response: z.string().min(1).max(16_000),
  verdict: z.enum(['APPROVED', 'NEEDS_CHANGES', 'REJECTED']).optional().describe('needed in every review'),
  findings: z.array(finding).max(50).optional(),
  accepted: z.array(id).max(100).optional().describe('ids of findings that you take as they are'),
})

export const submitReply = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_reply',
  purpose: 'Answer and end; a review has a `verdict`, and `findings` when there are any. The only call of its turn.',
  input: replyInput,
  roles: ['architect_scoping', ...readingRequestRoles, 'architect_budget'],
})
