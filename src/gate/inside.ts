import { posix } from 'node:path'

/**
 * The path of the repository in every sandbox, for any checkout or workspace: paths that tools
 * write into installed dependencies, caches and logs mean the same in each of them.
 */
export const insideRepository = '/repo'

/**
 * The path of ARTIFACT_DIR for the steps of every run, wherever its folder lies on the host. The
 * path is short, since that of a socket in it may have 107 characters.
 */
export const insideArtifacts = '/artifacts'

/** A path of the repository as sandboxes see it; '' for its root. */
export function insidePath(path: string): string {
  return posix.join(insideRepository, path)
}
