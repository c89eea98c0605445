import type { OwnBranch } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'

/** See Workspaces.ownBranches. */
export async function ownBranches(userGit: Git, repository: string): Promise<readonly OwnBranch[]> {
  const list = async (...args: readonly string[]) => {
    const { stdout } = await userGit(['for-each-ref', ...args], { workTree: repository })
    return stdout.toString('utf8').split('\n').filter(Boolean)
  }
  const lines = await list('--format=%(refname)%00%(objectname)%00%(worktreepath)', below)
  return Promise.all(
    lines.map(async (line) => {
      const [ref = '', sha = '', checkedOut = ''] = line.split('\0')
      const holders = await list(
        `--contains=${sha}`,
        '--format=%(refname)',
        'refs/heads/',
        'refs/tags/',
        'refs/remotes/',
      )
      const elsewhere = holders
        .find((holder) => !holder.startsWith(below))
        ?.replace(/^refs\/(heads|tags|remotes)\//, '')
      const name = ref.slice('refs/heads/'.length)
      return { name, sha, checkedOut: checkedOut !== '', elsewhere: elsewhere ?? null }
    }),
  )
}

/** See Workspaces.removeBranch. */
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
