import { readFile } from 'node:fs/promises'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { isAtLeast } from '../../../domain/version-number.ts'
import { writeChanged } from '../../../files/write-whole.ts'
import { programMark } from '../../../processes/program-mark.ts'
import type { Git } from '../git.ts'

export interface GitMemory {
  /** The file that records a git which was new enough. */
  readonly file: string
  readonly hostPath: string
}

/**
 * Checks git's version before any work is paid for, since an old git fails only at the first merge.
 * A git that was new enough is not checked again until its program changes. Throws DrydockError
 * `git_too_old`, or `git_failed` if there is no git.
 */
export async function requireGit(git: Git, { file, hostPath }: GitMemory): Promise<void> {
  const mark = JSON.stringify([limits.gitVersion, ...(await programMark('git', hostPath))])
  if ((await readFile(file, 'utf8').catch(() => '')) === mark) return
  const said = (await git(['--version'])).stdout.toString('utf8').trim()
  if (!isAtLeast(said.replace(/^git version /, ''), limits.gitVersion))
    throw new DrydockError('git_too_old', `This is ${said}; Drydock needs git ${limits.gitVersion} or newer.`, {
      todo: `Install git ${limits.gitVersion} or newer and make sure that it comes first in PATH. On Ubuntu: add-apt-repository ppa:git-core/ppa && apt-get install git`,
    })
  // A failed write only costs another check: there may be no state yet, or it may be read-only.
  await writeChanged(file, mark).catch(() => undefined)
}
