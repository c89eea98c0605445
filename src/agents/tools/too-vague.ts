import { z } from 'zod'
import { defineAnsweredLater } from './tool.ts'

export const tooVagueInput = () =>
  z.strictObject({
    reason: z.string().min(1).max(2_000).describe('why nobody could tell whether it is built'),
    missing: z.array(z.string().min(1).max(500)).min(1).max(10).describe('decisions that only the user can make'),
  })

export const tooVague = defineAnsweredLater({
  kind: 'terminal',
  name: 'too_vague',
  purpose: 'Give a spec back that is too vague to build, and end. The last call of its turn.',
  input: tooVagueInput,
  roles: ['architect_scoping'],
})
