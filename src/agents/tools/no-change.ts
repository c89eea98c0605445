import { z } from 'zod'
import { coderRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

export const noChangeInput = z.strictObject({
  reason: z.string().min(1).max(4_000).describe('why nothing needs to change, or why you cannot change it'),
  evidence: z.string().min(1).max(4_000).describe('what shows it: files with lines, commands with their output'),
})

export const noChange = defineAnsweredLater({
  kind: 'terminal',
  name: 'no_change',
  purpose:
    'End without a change. Others judge your reason. Refused while files differ. Must be the only call of its turn.',
  input: noChangeInput,
  roles: coderRoles,
})
