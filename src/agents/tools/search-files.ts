import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secret-files.ts'
import { defineTool, done, refuse } from './tool.ts'

export const searchFiles = defineTool({
  kind: 'read',
  name: 'search_files',
  purpose:
    'Search file contents with a regular expression (ripgrep syntax), optionally only in files that match a glob.',
  input: z.strictObject({ pattern: z.string().min(1), glob: z.string().min(1).optional() }),
  roles: ['planner', 'coder', 'codebase_scout', 'build_scout'],
  async run({ pattern, glob = null }, { session, signal }) {
    const reply = await session.request({ op: 'search', pattern, glob, max: limits.searchResults }, signal)
    if (!reply.ok) return refuse(reply.message)
    const matches = reply.value.matches.filter((match) => !isSecretFile(match.path))
    if (matches.length === 0) return done('(no match)')
    const lines = matches.map((match) => `${match.path}:${match.line}: ${match.text}`)
    const more = reply.value.truncated ? `\n(cut at ${limits.searchResults}; use a narrower pattern or glob)` : ''
    return done(lines.join('\n') + more)
  },
})
