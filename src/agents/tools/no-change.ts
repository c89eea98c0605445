import { z } from 'zod'
import { defineAnsweredLater } from './tool.ts'

export const noChangeInput = () =>
  z.strictObject({
    reason: z.string().min(1).max(4_000).describe('why nothing needs to change, or why you cannot'),
    evidence: z.string().min(1).max(4_000).describe('what shows it: lines of files, output of commands'),
  })

export const noChange = defineAnsweredLater({
  kind: 'terminal',
  name: 'no_change',
  purpose: 'End without a change. Others judge your reason. Refused while files differ. The last call of its turn.',
  input: noChangeInput,
  roles: ['editor_coding'],
})
