import type { UserRepository } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'
import { committedFiles } from '../history/committed-files.ts'
import { createFileReads } from './file-reads.ts'

/** What is read of the commits that work starts from. */
export type CommittedReads = Pick<UserRepository, 'fileAt' | 'filesAt' | 'entriesBelow' | 'committed'>

/** The same reads of a repository without files, such as the mirror. */
export function createCommittedReads(git: Git, gitDir: string): CommittedReads {
  return { ...createFileReads(git, gitDir), committed: (sha) => committedFiles(git, gitDir, sha) }
}
