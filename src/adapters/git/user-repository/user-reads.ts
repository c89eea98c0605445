import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Identity } from '../../../domain/identity.ts'
import { filledLines } from '../../../domain/text.ts'
import type { UncommittedPaths } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'
import { objectId } from '../revision.ts'
import { createFileReads } from './file-reads.ts'

/** Reads the user's repository, with the user's configuration; writes nothing. */
export interface UserReads extends ReturnType<typeof createFileReads> {
  target(name: string | null): Promise<{ readonly branch: string | null; readonly sha: string }>
  identity(): Promise<Identity>
  branches(prefix: string): Promise<readonly string[]>
  uncommitted(): Promise<UncommittedPaths>
  sparseCheckout(): Promise<readonly string[] | null>
}

export function createUserReads(userGit: Git, repository: string): UserReads {
  const run = (args: readonly string[], exits: readonly number[] = []) => userGit(args, { workTree: repository, exits })
  const commitOf = async (revision: string) => {
    const { code, stdout } = await run(['rev-parse', '--quiet', '--verify', `${revision}^{commit}`], [1, 128])
    return code === 0 ? objectId(stdout) : null
  }
  const isBranch = async (name: string) =>
    (await run(['show-ref', '--verify', '--quiet', '--', `refs/heads/${name}`], [1, 128])).code === 0

  return {
    async target(name) {
      if (name === null) return head()
      const branch = await isBranch(name)
      const sha = name.startsWith('-') ? null : await commitOf(branch ? `refs/heads/${name}` : name)
      if (sha !== null) return { branch: branch ? name : null, sha }
      if ((await run(['for-each-ref', '--count=1'])).stdout.length === 0) throw noCommits(repository)
      throw new DrydockError(
        'unknown_revision',
        `There is no branch or commit ${JSON.stringify(name)} in ${repository}.`,
        {
          todo: 'List them: git branch --all, git log --all --oneline',
        },
      )
    },

    async identity() {
      const value = async (key: string) => (await run(['config', '--get', key], [1])).stdout.toString('utf8').trim()
      const [name, email] = await Promise.all([value('user.name'), value('user.email')])
      if (name !== '' && email !== '') return { name, email }
      throw new DrydockError(
        'bad_config',
        `commit.author is "user", but git has no user.name and user.email in ${repository}.`,
        {
          todo: 'git config --global user.name "Your Name" && git config --global user.email you@example.com',
        },
      )
    },

    ...createFileReads(userGit, repository),

    async branches(prefix) {
      const { stdout } = await run(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/'])
      return stdout
        .toString('utf8')
        .split('\n')
        .filter((name) => name !== '' && name.startsWith(prefix))
    },

    async sparseCheckout() {
      const asked = await run(['config', '--type=bool', '--get', 'core.sparseCheckout'], [1, 128])
      if (asked.stdout.toString('utf8').trim() !== 'true') return null
      const { stdout } = await run(['sparse-checkout', 'list'], [1, 128])
      return filledLines(stdout.toString('utf8'))
    },
    async uncommitted() {
      const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-optional-locks']
      // A bare repository has no working tree, and git exits with 128.
      const asked = await run(
        [...quiet, 'status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=all'],
        [128],
      )
      const entries = asked.stdout
        .toString('utf8')
        .split('\0')
        .filter((entry) => entry !== '')
      const [untracked, tracked] = [true, false].map((wanted) =>
        entries.filter((entry) => entry.startsWith('??') === wanted).map((entry) => entry.slice(3)),
      )
      return { tracked: tracked ?? [], untracked: untracked ?? [] }
    },
  }

  async function head() {
    const { code, stdout } = await run(['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'], [128])
    if (code !== 0) throw noCommits(repository)
    const [sha = '', ref = ''] = stdout.toString('utf8').split('\n')
    return { branch: ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null, sha: objectId(sha) }
  }
}

function noCommits(repository: string): DrydockError {
  return new DrydockError('no_commits', `${repository} has no commits yet, so there is nothing to start from.`, {
    todo: 'git add --all && git commit -m "Start"',
  })
}
