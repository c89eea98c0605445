import { z } from 'zod'
import { chatRoles } from './roles.ts'
import { defineTool } from './tool.ts'

export const readMessages = defineTool({
  kind: 'read',
  name: 'read_messages',
  purpose: 'Read the thread of your work and what humans wrote to the whole run.',
  input: () => z.strictObject({}),
  roles: chatRoles,
  run: (_, context) => context.messages(),
})
