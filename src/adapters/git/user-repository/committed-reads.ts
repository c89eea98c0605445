import type { UserRepository } from '../../../ports/user-repository.ts'
import { committedFiles } from '../history/committed-files.ts'
import type { Reads } from '../history/tree-path.ts'
import { createFileReads } from './file-reads.ts'

/** The reads of the commits that work starts from. */
export type CommittedReads = Pick<UserRepository, 'fileAt' | 'filesAt' | 'entriesBelow' | 'committed'>

/** Reads of a repository without a work tree, such as the mirror. */
export function createCommittedReads(reads: Reads): CommittedReads {
  return { ...createFileReads(reads.git, reads.mirror), committed: (sha) => committedFiles(reads, sha) }
}
