import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { chatRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

export const postMessageInput = () =>
  z.strictObject({
    content: z.string().min(1).max(limits.chatChars),
    reply_to: z
      .string()
      .max(18)
      // A refinement, since not every provider accepts patterns.
      .refine((id) => /^\d+$/.test(id), 'must be the id of a message: digits')
      .optional()
      .describe('id of the message you answer'),
  })

/** The workflow posts and answers the message in one transaction: a crash cannot duplicate it. */
export const postMessage = defineAnsweredLater({
  kind: 'wait',
  name: 'post_message',
  purpose: 'Write to the humans who follow your work. Nothing waits for an answer.',
  input: postMessageInput,
  roles: chatRoles,
})
