import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { isAtLeast } from '../../../domain/version-number.ts'
import type { Git } from '../git.ts'

/**
 * An old git fails at the first merge, when the work is paid for. DrydockError `git_too_old`, or
 * `git_failed` when there is none.
 */
export async function requireGit(git: Git): Promise<void> {
  const said = (await git(['--version'])).stdout.toString('utf8').trim()
  if (isAtLeast(said.replace(/^git version /, ''), limits.gitVersion)) return
  throw new DrydockError('git_too_old', `This is ${said}; Drydock needs git ${limits.gitVersion} or newer.`, {
    todo: `Install git ${limits.gitVersion} or newer and see that it comes first in PATH. On Ubuntu: add-apt-repository ppa:git-core/ppa && apt-get install git`,
  })
}
