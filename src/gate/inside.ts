import { posix } from 'node:path'

/**
 * Where every sandbox shows the repository, whichever checkout or workspace it is: what tools write
 * of paths, into installed dependencies, caches and logs, means the same in each of them.
 */
export const insideRepository = '/repo'

/**
 * The path of ARTIFACT_DIR as the steps of every run see it, whatever the run is for and wherever
 * its folder lies. It is short, since the path of a socket in it may have 107 characters.
 */
export const insideArtifacts = '/artifacts'

/** A path of the repository as sandboxes see it; '' for its root. */
export function insidePath(path: string): string {
  return posix.join(insideRepository, path)
}
