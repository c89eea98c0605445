import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secrets/secret-files.ts'
import { optionalCoderId } from './coder-id.ts'
import { editorRoles, readingArchitectRoles, scoutRoles, secretRoles } from './roles.ts'
import { defineTool, done, type ReadContext, refuse, type ToolOutcome } from './tool.ts'

const input = () => ({ pattern: z.string().min(1), glob: z.string().min(1).optional() })

export const searchFiles = defineTool({
  kind: 'read',
  name: 'search_files',
  purpose: 'Search files with a regular expression (ripgrep), all or those that match a glob.',
  input: () => z.strictObject(input()),
  roles: [...editorRoles, ...scoutRoles],
  run: search,
})

export const searchCoderFiles = defineTool({
  kind: 'read',
  name: 'search_files',
  purpose:
    'Search file contents with a regular expression, optionally only in files that match a glob, in the workspace `coder_id` or, without it, on the run branch.',
  input: () => z.strictObject({ ...input(), coder_id: optionalCoderId }),
  roles: [...readingArchitectRoles, ...secretRoles],
  run: search,
})

interface SearchInput {
  readonly pattern: string
  readonly glob?: string | undefined
  readonly coder_id?: string | undefined
}

async function search({ pattern, glob, coder_id: coder }: SearchInput, context: ReadContext): Promise<ToolOutcome> {
  const tree = await context.files(coder)
  if (!tree.ok) return tree.outcome
  const reply = await tree.files.search({ pattern, glob: glob ?? null, max: limits.searchResults }, context.signal)
  if (!reply.ok) return refuse(reply.message)
  const matches = reply.value.matches.filter((match) => !isSecretFile(match.path))
  if (matches.length === 0) return done('(no match)')
  const lines = matches.map((match) => `${match.path}:${match.line}: ${match.text}`)
  const more = reply.value.truncated ? `\n(cut at ${limits.searchResults}; use a narrower pattern or glob)` : ''
  return done(lines.join('\n') + more)
}
