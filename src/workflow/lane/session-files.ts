import type { Files } from '../../ports/files.ts'
import type { InRoot, SandboxSession } from '../../ports/sandbox.ts'

/**
 * The files that a session shows: those of its working directory, or of the folder `root` inside
 * it.
 */
export function sessionFiles(session: Pick<SandboxSession, 'request'>, root?: string): Files {
  const rooted: InRoot = root === undefined ? {} : { root }
  return {
    read: (path, maxBytes, signal) => session.request({ op: 'read', path, maxBytes, ...rooted }, signal),
    list: (pattern, max, signal) => session.request({ op: 'list', pattern, max, ...rooted }, signal),
    search: (wanted, signal) => session.request({ op: 'search', ...wanted, ...rooted }, signal),
  }
}
