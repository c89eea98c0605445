import { z } from 'zod'
import { defineTool } from './tool.ts'

export const getDiff = defineTool({
  kind: 'read',
  name: 'get_diff',
  purpose: 'Show what has been changed so far, as a unified diff against the commit the work started from.',
  input: z.strictObject({ path: z.string().min(1).optional() }),
  roles: ['planner', 'coder'],
  run: ({ path }, context) => context.diff(path),
})
