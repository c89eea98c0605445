import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { defineTool, done, refuse } from './tool.ts'

export const listFiles = defineTool({
  kind: 'read',
  name: 'list_files',
  purpose: 'List files that match a glob such as `src/**/*.ts`; ignored files are left out.',
  input: z.strictObject({ pattern: z.string().min(1).describe('glob; without a slash it matches at any depth') }),
  roles: ['planner', 'coder', 'codebase_scout', 'build_scout'],
  async run({ pattern }, { session, signal }) {
    const reply = await session.request({ op: 'list', pattern, max: limits.listResults }, signal)
    if (!reply.ok) return refuse(reply.message)
    const { paths, truncated } = reply.value
    if (paths.length === 0) return done('(no file matches)')
    const more = truncated ? `\n(cut at ${limits.listResults}; use a narrower pattern)` : ''
    return done(paths.join('\n') + more)
  },
})
