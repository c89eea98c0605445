import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { optionalCoderId } from './coder-id.ts'
import { editorRoles, readingArchitectRoles, scoutRoles, secretRoles } from './roles.ts'
import { defineTool, done, type ReadContext, refuse, type ToolOutcome } from './tool.ts'

const input = () => ({ pattern: z.string().min(1).describe('glob; without a slash it matches at any depth') })

export const listFiles = defineTool({
  kind: 'read',
  name: 'list_files',
  purpose: 'List files that match a glob such as `src/**/*.ts`, without ignored files.',
  input: () => z.strictObject(input()),
  roles: [...editorRoles, ...scoutRoles],
  run: list,
})

export const listCoderFiles = defineTool({
  kind: 'read',
  name: 'list_files',
  purpose:
    'List files that match a glob such as `src/**/*.ts`, in the workspace `coder_id` or, without it, on the run branch.',
  input: () => z.strictObject({ ...input(), coder_id: optionalCoderId }),
  roles: [...readingArchitectRoles, ...secretRoles],
  run: list,
})

interface ListInput {
  readonly pattern: string
  readonly coder_id?: string | undefined
}

async function list({ pattern, coder_id: coder }: ListInput, { files, signal }: ReadContext): Promise<ToolOutcome> {
  const tree = await files(coder)
  if (!tree.ok) return tree.outcome
  const reply = await tree.files.list(pattern, limits.listResults, signal)
  if (!reply.ok) return refuse(reply.message)
  const { paths, truncated } = reply.value
  if (paths.length === 0) return done('(no file matches)')
  const more = truncated ? `\n(cut at ${limits.listResults}; use a narrower pattern)` : ''
  return done(paths.join('\n') + more)
}
