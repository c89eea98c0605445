import { isAbsolute } from 'node:path'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'

/** Throws DrydockError `bad_usage` for a file that a commit does not have. */
export async function checkFilesAt(
  { userRepository }: Pick<Installation, 'userRepository'>,
  commit: string,
  files: readonly string[],
): Promise<void> {
  const found = await userRepository.filesAt(commit, files, 1)
  const missing = files.find((_, i) => found[i] === 'absent')
  if (missing !== undefined)
    throw usage(`--file ${missing} is not in the commit ${commit.slice(0, 12)}.`, 'Commit it, or leave it out.')
}

/** Throws DrydockError `bad_usage` for a file that is not in the repository. */
export async function checkFiles(
  { userRepository }: Pick<Installation, 'userRepository'>,
  files: readonly string[],
): Promise<void> {
  for (const path of files) {
    const isInside = !isAbsolute(path) && !path.split('/').includes('..')
    if (!isInside || !(await userRepository.has(path))) {
      throw usage(`--file ${path} is not in the repository.`, 'Give its path from the root of the repository.')
    }
  }
}
