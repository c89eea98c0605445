import { readFile } from 'node:fs/promises'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { isAtLeast } from '../../../domain/version-number.ts'
import { writeChanged } from '../../../files/write-whole.ts'
import { programMark } from '../../../processes/program-mark.ts'
import type { Git } from '../git.ts'

export interface GitMemory {
  /** Where the git that was new enough is kept. */
  readonly file: string
  readonly hostPath: string
}

/**
 * An old git fails at the first merge, when the work is paid for. One that was new enough is not
 * asked again until its program changes. DrydockError `git_too_old`, or `git_failed` when there is
 * none.
 */
export async function requireGit(git: Git, { file, hostPath }: GitMemory): Promise<void> {
  const mark = JSON.stringify([limits.gitVersion, ...(await programMark('git', hostPath))])
  if ((await readFile(file, 'utf8').catch(() => '')) === mark) return
  const said = (await git(['--version'])).stdout.toString('utf8').trim()
  if (!isAtLeast(said.replace(/^git version /, ''), limits.gitVersion))
    throw new DrydockError('git_too_old', `This is ${said}; Drydock needs git ${limits.gitVersion} or newer.`, {
      todo: `Install git ${limits.gitVersion} or newer and make sure that it comes first in PATH. On Ubuntu: add-apt-repository ppa:git-core/ppa && apt-get install git`,
    })
  // Before there is a state, and where nothing can be written, it is asked again.
  await writeChanged(file, mark).catch(() => undefined)
}
