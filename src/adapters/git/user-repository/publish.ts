import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git } from '../git.ts'

interface Publishing {
  readonly branch: string
  readonly sha: string
  readonly from: string | null
}

/** Where a branch is, and the work tree that it is checked out in, if any. */
interface Place {
  readonly at: string
  readonly checkedOut: string | null
}

const quiet = [
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
]

/** See Workspaces.publish. */
export async function publish(
  { userGit, repository, mirror }: { userGit: Git; repository: string; mirror: string },
  { branch, sha, from }: Publishing,
): Promise<void> {
  const ref = `refs/heads/${branch}`
  const run = (...args: readonly string[]) =>
    userGit(['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always', ...args], { workTree: repository })
  const look = async (): Promise<Place | null> => {
    const format = '%(refname)%00%(objectname)%00%(worktreepath)'
    const { stdout } = await run('for-each-ref', `--format=${format}`, ref)
    const found = stdout
      .toString('utf8')
      .split('\n')
      .find((line) => line.startsWith(`${ref}\0`))
    const [, at = '', checkedOut = ''] = found?.split('\0') ?? []
    return found === undefined ? null : { at, checkedOut: checkedOut || null }
  }

  const before = await look()
  if (before?.at === sha) return
  if ((before?.at ?? null) !== from) throw elsewhere(repository, { branch, sha, from }, before)
  if (before?.checkedOut) throw checkedOut(branch, before.checkedOut)
  await run('fetch', ...quiet, '--update-shallow', mirror, sha)
  try {
    // The old value, zeros for none, so that what somebody did to the branch meanwhile is not
    // overwritten.
    await run('update-ref', '--no-deref', '-m', 'drydock: publish', ref, sha, from ?? '0'.repeat(sha.length))
  } catch (error) {
    const now = await look()
    if (now?.at === sha) return
    if ((now?.at ?? null) !== from) throw elsewhere(repository, { branch, sha, from }, now)
    throw error
  }
}

function elsewhere(repository: string, { branch, sha, from }: Publishing, now: Place | null): DrydockError {
  if (from === null)
    return new DrydockError(
      'git_failed',
      `The branch ${branch} already exists in ${repository} and is at ${now?.at}, not at ${sha}.`,
      { todo: `git branch --move ${branch} ${branch}-old, then resume` },
    )
  const left = `It was left at ${from} and would go on to ${sha} from there.`
  if (now === null)
    return new DrydockError('git_failed', `The branch ${branch} is gone from ${repository}. ${left}`, {
      todo: `git branch ${branch} ${from} && drydock resume`,
    })
  const away = now.checkedOut === null ? '' : `git -C ${JSON.stringify(now.checkedOut)} switch --detach && `
  return new DrydockError('git_failed', `Somebody moved the branch ${branch} in ${repository} to ${now.at}. ${left}`, {
    todo: `${away}git branch ${branch}-mine ${now.at} && git update-ref refs/heads/${branch} ${from} && drydock resume`,
  })
}

function checkedOut(branch: string, folder: string): DrydockError {
  return new DrydockError(
    'git_failed',
    `The branch ${branch} is checked out in ${folder}: moved now, it would no longer be what the files there are.`,
    { todo: 'Switch to another branch there (git switch NAME), then: drydock resume' },
  )
}
