import { z } from 'zod'
import { defineTool } from './tool.ts'

export const getDiff = defineTool({
  kind: 'read',
  name: 'get_diff',
  purpose: 'Show what has been changed so far, as a unified diff against the commit the work started from.',
  input: z.strictObject({
    path: z.string().min(1).optional(),
    base: z.string().min(7).optional().describe('an earlier commit of this work to compare with instead'),
  }),
  roles: ['planner', 'coder'],
  run: (input, context) => context.diff(input),
})
