import { existsSync } from 'node:fs'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git } from '../git.ts'
import { type HandOver, moveTo, plainFetch } from './hand-over.ts'
import { type Place, placeOf } from './place.ts'

interface Advancing {
  readonly branch: string
  readonly sha: string
  readonly from: string
}

/** Implements Publisher.advance. */
export async function advance(
  {
    userGit,
    handOver,
    repository,
  }: { readonly userGit: Git; readonly handOver: HandOver; readonly repository: string },
  { branch, sha, from }: Advancing,
): Promise<void> {
  const ref = `refs/heads/${branch}`
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'protocol.file.allow=always']
  const runIn = (workTree: string, ...args: readonly string[]) => userGit([...settings, ...args], { workTree })
  const run = (...args: readonly string[]) => runIn(repository, ...args)

  const before = await placeOf(run, ref)
  if (before?.at === sha) return
  if (before?.at !== from) throw moved(branch, { from, now: before })
  const folder = before.checkedOut
  if (folder === null) {
    // Git may also refuse to move a branch that is not checked out, so a dry run asks it first.
    await run(...plainFetch, '--dry-run', '.', `${ref}:${ref}`).catch((error) => {
      if (error instanceof DrydockError && error.message.includes('refusing to fetch')) throw inUse(branch)
      throw error
    })
  } else {
    if (!existsSync(folder)) throw removed(branch, folder)
    const changes = await runIn(folder, 'status', '--porcelain=v1', '--untracked-files=no', '--ignore-submodules=all')
    if (changes.stdout.length > 0) throw changed(branch, folder)
  }
  // The old value guards against overwriting a concurrent change of the branch.
  const update = ['update-ref', '--no-deref', '-m', 'drydock: land', ref, sha, from]
  // A fast-forward merge refuses to overwrite a file, and moves the branch and its files together.
  const merge = ['merge', '--quiet', '--ff-only', '--no-verify-signatures', '--no-stat', '--end-of-options', sha]
  await moveTo(handOver, sha, {
    move: () => (folder === null ? run(...update) : runIn(folder, ...merge)),
    async isDone() {
      const now = await placeOf(run, ref)
      if (now?.at !== sha && now?.at !== from) throw moved(branch, { from, now })
      return now.at === sha
    },
  })
  if (folder === null) return
  // The merge also succeeds if somebody has moved the branch further.
  const now = await placeOf(run, ref)
  if (now?.at !== sha) throw moved(branch, { from, now })
}

function moved(branch: string, { from, now }: { readonly from: string; readonly now: Place | null }): DrydockError {
  const where = now === null ? 'It no longer exists' : `It is at ${now.at.slice(0, 12)}`
  return new DrydockError(
    'branch_moved',
    `Somebody moved ${branch} meanwhile. ${where}, not at ${from.slice(0, 12)}.`,
    {
      todo: 'Run the same command again: it verifies the merge with the branch as it is now.',
    },
  )
}

function inUse(branch: string): DrydockError {
  return new DrydockError('apply_refused', `git is in the middle of something with ${branch}, such as a rebase.`, {
    todo: 'Nothing was moved. Finish or abort it (see: git status), then run the same command again.',
  })
}

function removed(branch: string, folder: string): DrydockError {
  return new DrydockError('apply_refused', `${branch} is checked out in ${folder}, which no longer exists.`, {
    todo: 'Nothing was moved. Restore the folder, or forget it (git worktree prune), then run the same command again.',
  })
}

function changed(branch: string, folder: string): DrydockError {
  return new DrydockError('apply_refused', `${branch} is checked out in ${folder}, which has uncommitted changes.`, {
    todo: 'Nothing was moved. Commit or stash them (git stash), then run the same command again.',
  })
}
