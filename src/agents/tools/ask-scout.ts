import { z } from 'zod'
import { editorRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

export const askScoutInput = () =>
  z.strictObject({
    scout: z.enum(['codebase', 'build']),
    question: z.string().min(1).max(4_000),
  })

export const askScout = defineAnsweredLater({
  kind: 'wait',
  name: 'ask_scout',
  purpose:
    'Ask a read-only scout: `codebase` says where and how to change the code, `build` how to build and test, or why that fails.',
  input: askScoutInput,
  roles: editorRoles,
})
