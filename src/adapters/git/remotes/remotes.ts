import { DrydockError } from '../../../domain/drydock-error.ts'
import type { PushTarget, Remotes } from '../../../ports/remotes.ts'
import { createTalkingGit } from '../git.ts'
import type { GitParts } from '../git-parts.ts'
import { isAncestor } from '../history/is-ancestor.ts'
import { createFetching } from './fetching.ts'
import { pushReceipts } from './push-receipts.ts'
import { refusedPush } from './refused-push.ts'
import { fetchFromMirror, placeOf, pushing, talkingTo } from './remote-git.ts'

export function createRemotes(parts: GitParts, environment: Readonly<Record<string, string>>): Remotes {
  const { userGit, git, layout, repository } = parts
  const remoteGit = createTalkingGit(environment)
  const at = (target: PushTarget) => talkingTo(remoteGit, repository, target)
  return {
    ...createFetching(remoteGit, parts),

    async url(remote) {
      const args = ['remote', 'get-url', '--push', '--end-of-options', remote]
      const { code, stdout } = await userGit(args, { workTree: repository, exits: [2, 128] })
      const url = stdout.toString('utf8').split('\n')[0] ?? ''
      if (code === 0 && url !== '') return url
      const names = (await userGit(['remote'], { workTree: repository })).stdout.toString('utf8').trim()
      throw new DrydockError('bad_usage', `The repository has no remote "${remote}".`, {
        todo: names === '' ? 'Add it: git remote add origin URL' : `Name one of these: ${names.split('\n').join(', ')}`,
      })
    },

    async defaultBranch(target) {
      const shown = await at(target)(['ls-remote', '--symref', '--end-of-options', target.url, 'HEAD'])
      return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(shown)?.[1] ?? null
    },

    async push(target, { branch, sha, pushed }) {
      const run = at(target)
      const ref = `refs/heads/${branch}`
      const before = await placeOf(run, target.url, ref)
      if (before === sha) return
      const isOurs = before === null || pushed.includes(before)
      if (!isOurs && !(await isAncestor(git, layout.mirror, [before, sha]))) throw moved(branch, { before, sha })
      // The commit may exist only in the mirror if somebody has removed the branch.
      await fetchFromMirror(parts, sha)
      try {
        await run(pushing(target.url, { ref, from: before, to: sha }))
      } catch (error) {
        const now = await placeOf(run, target.url, ref).catch(() => before)
        // Another process of ours has pushed it already.
        if (now === sha) return
        throw now === before ? refusedPush(error, target.url) : moved(branch, { before: null, sha })
      }
    },

    async sendCommit(target, { ref, sha }) {
      const run = at(target)
      if ((await placeOf(run, target.url, ref)) === sha) return
      await run(pushing(target.url, { ref, from: null, to: sha }))
    },

    async fetchCommit(target, sha) {
      const quiet = ['--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--no-auto-maintenance']
      const args = ['fetch', ...quiet, '--no-recurse-submodules', '--update-shallow']
      await at(target)([...args, '--end-of-options', target.url, sha])
    },

    pushReceipts: (target, commits) => pushReceipts(parts, { target, commits, run: at(target) }),
  }
}

function moved(
  branch: string,
  { before, sha }: { readonly before: string | null; readonly sha: string },
): DrydockError {
  const where = before === null ? 'It moved during the push' : `It is at ${before.slice(0, 12)} there`
  return new DrydockError('branch_moved', `Somebody else moved the branch ${branch} at the remote. ${where}.`, {
    todo: `Nothing was pushed. Keep those commits under another name, then remove the branch there and run the same command again. The verified commit is ${sha}.`,
  })
}
