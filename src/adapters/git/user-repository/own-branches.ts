import { filledLines } from '../../../domain/text.ts'
import type { OwnBranch } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'

/** Implements UserRepository.ownBranches. */
export async function ownBranches(userGit: Git, repository: string): Promise<readonly OwnBranch[]> {
  const list = async (...args: readonly string[]) => {
    const { stdout } = await userGit(['for-each-ref', ...args], { workTree: repository })
    return filledLines(stdout.toString('utf8'))
  }
  const lines = await list('--format=%(refname)%00%(objectname)%00%(worktreepath)', below)
  return Promise.all(
    lines.map(async (line) => {
      const [ref = '', sha = '', checkedOut = ''] = line.split('\0')
      const elsewhere = (await holdersOf(userGit, repository, sha)).find((holder) => !holder.startsWith(below))
      const name = ref.slice('refs/heads/'.length)
      return { name, sha, checkedOut: checkedOut !== '', elsewhere: elsewhere ? shortRef(elsewhere) : null }
    }),
  )
}

/** Implements UserRepository.holderOf. */
export async function holderOf(userGit: Git, repository: string, sha: string): Promise<string | null> {
  const [holder] = await holdersOf(userGit, repository, sha)
  return holder === undefined ? null : shortRef(holder)
}

/** Full names of the refs that contain a commit; none if the commit does not exist. */
async function holdersOf(userGit: Git, repository: string, sha: string): Promise<readonly string[]> {
  const args = [`--contains=${sha}`, '--format=%(refname)', 'refs/heads/', 'refs/tags/', 'refs/remotes/']
  const { stdout } = await userGit(['for-each-ref', ...args], { workTree: repository, exits: [128, 129] })
  return filledLines(stdout.toString('utf8'))
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags|remotes)\//, '')
}

/** Implements UserRepository.removeBranch. */
export async function removeBranch(userGit: Git, repository: string, branch: OwnBranch): Promise<boolean> {
  const now = (await ownBranches(userGit, repository)).find(({ name }) => name === branch.name)
  if (now?.sha !== branch.sha || now.checkedOut) return false
  const args = [
    '-c',
    'core.hooksPath=/dev/null',
    'update-ref',
    '--no-deref',
    '-d',
    `refs/heads/${branch.name}`,
    branch.sha,
  ]
  return (await userGit(args, { workTree: repository, exits: [1, 128] })).code === 0
}

const below = 'refs/heads/drydock/'
