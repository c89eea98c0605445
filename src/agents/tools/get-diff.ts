import { z } from 'zod'
import { coderId } from './coder-id.ts'
import { editorRoles, readingRequestRoles } from './roles.ts'
import { defineTool } from './tool.ts'

const input = () => ({
  path: z.string().min(1).optional(),
  base: z.string().min(7).optional().describe('an earlier commit of this work'),
})

export const getDiff = defineTool({
  kind: 'read',
  alone: true,
  name: 'get_diff',
  purpose: 'Show the change so far, as a unified diff against the commit it started from.',
  input: () => z.strictObject(input()),
  roles: editorRoles,
  run: (of, context) => context.diff(of),
})

export const getCoderDiff = defineTool({
  kind: 'read',
  alone: true,
  name: 'get_diff',
  purpose:
    'Show what a coder has changed, as a unified diff against the commit its story started from, or against `base`, an earlier commit of the story.',
  input: () => z.strictObject({ coder_id: coderId, ...input() }),
  roles: [...readingRequestRoles, 'architect_judge'],
  run: ({ coder_id: coder, ...of }, context) => context.diff({ coderId: coder, ...of }),
})
