import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { chatRoles } from './roles.ts'
import { defineTool } from './tool.ts'

export const postMessageInput = z.strictObject({
  content: z.string().min(1).max(limits.chatChars),
  reply_to: z
    .string()
    .max(18)
    // Not as a pattern, which not every provider takes.
    .refine((id) => /^\d+$/.test(id), 'must be the id of a message: digits')
    .optional()
    .describe('id of the message that this answers'),
})

/**
 * Answered by the workflow, which posts it in the same transaction: after a crash it is there once.
 */
export const postMessage = defineTool({
  kind: 'wait',
  name: 'post_message',
  purpose: 'Write to the thread, for the humans who follow it. Nobody has to answer, and nothing waits for an answer.',
  input: postMessageInput,
  roles: chatRoles,
})
