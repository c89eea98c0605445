import type { Files } from '../../../ports/files.ts'
import type { Git } from '../git.ts'
import { listCommitted } from './list-committed.ts'
import { readCommitted } from './read-committed.ts'
import { searchCommitted } from './search-committed.ts'

/**
 * See Workspaces.committed. Only objects of the mirror are read: no checkout, no filter, no program
 * but git.
 */
export function committedFiles(git: Git, mirror: string, sha: string): Files {
  return {
    read: (path, maxBytes, signal) => readCommitted({ git, mirror, sha, signal }, path, maxBytes),
    list: (pattern, max, signal) => listCommitted({ git, mirror, sha, signal }, pattern, max),
    search: (wanted, signal) => searchCommitted({ git, mirror, sha, signal }, wanted),
  }
}
