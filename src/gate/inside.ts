import { posix } from 'node:path'

/**
 * Where every sandbox shows the repository, whichever checkout or workspace it is: what tools write
 * of paths, into installed dependencies, caches and logs, means the same in each of them.
 */
export const insideRepository = '/repo'

/** A path of the repository as sandboxes see it; '' for its root. */
export function insidePath(path: string): string {
  return posix.join(insideRepository, path)
}
