import { z } from 'zod'
import { editorRoles } from './roles.ts'
import { defineAnsweredLater } from './tool.ts'

export const askArchitectInput = () => z.strictObject({ question: z.string().min(1).max(4_000) })

export const askArchitect = defineAnsweredLater({
  kind: 'wait',
  name: 'ask_architect',
  purpose:
    'Ask the architect for a decision that the spec leaves open, and get the answer. Ask one precise question, with the options you see.',
  input: askArchitectInput,
  roles: editorRoles,
})
