import { z } from 'zod'
import { editorRoles, readingArchitectRoles } from './roles.ts'
import { defineTool, refuse } from './tool.ts'

/** Offered only if the repository has skills. */
export const readSkill = defineTool({
  kind: 'read',
  name: 'read_skill',
  purpose: "Read a skill: the repository's instructions for one kind of work.",
  input: () => z.strictObject({ name: z.string().min(1).describe('as the list of skills names it') }),
  roles: [...editorRoles, ...readingArchitectRoles],
  run: ({ name }, { skill }) => skill?.(name) ?? Promise.resolve(refuse('There are no skills here.')),
})
