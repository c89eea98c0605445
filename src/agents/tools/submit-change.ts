import { z } from 'zod'
import { coderRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

export const changeInput = z.strictObject({
  summary: z
    .string()
    .min(1)
    .max(8_000)
    .describe('what changed and why; its first line becomes the title of the commit'),
  hypothesis: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe(
      'what you believe the cause is, if the change tests a belief; required once two verifications have failed',
    ),
  next_slice: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('the slice that follows if this one passes; leave it out when everything is done'),
})

export const submitChange = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_change',
  purpose: 'Hand the change to the verifier, which answers with its verdict. Must be the only call of its turn.',
  input: changeInput,
  roles: coderRoles,
})
