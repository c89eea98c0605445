import type { Files } from '../../../ports/files.ts'
import { listCommitted } from './list-committed.ts'
import { readCommitted } from './read-committed.ts'
import { searchCommitted } from './search-committed.ts'
import type { Reads } from './tree-path.ts'

/**
 * Implements History.committed. Only objects of the mirror are read, with no checkout, no filter,
 * and no program but git.
 */
export function committedFiles(reads: Reads, sha: string): Files {
  return {
    read: (path, maxBytes, signal) => readCommitted({ ...reads, sha, signal }, path, maxBytes),
    list: (pattern, max, signal) => listCommitted({ ...reads, sha, signal }, pattern, max),
    search: (wanted, signal) => searchCommitted({ ...reads, sha, signal }, wanted),
  }
}
