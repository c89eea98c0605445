import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git } from '../git.ts'
import { type HandOver, moveTo } from './hand-over.ts'
import { type Place, placeOf } from './place.ts'

interface Publishing {
  readonly branch: string
  readonly sha: string
  readonly from: string | null
}

interface Places {
  readonly userGit: Git
  readonly handOver: HandOver
  readonly repository: string
}

/** Implements Publisher.check. Returns true if the branch is at `sha` already. */
export async function checkPlace(places: Places, { branch, sha, from }: Publishing): Promise<boolean> {
  const before = await placeOf(runnerOf(places), `refs/heads/${branch}`)
  if (before?.at === sha) return true
  if ((before?.at ?? null) !== from) throw elsewhere(places.repository, { branch, sha, from }, before)
  if (before?.checkedOut) throw checkedOut(branch, before.checkedOut)
  return false
}

function runnerOf({ userGit, repository }: Places) {
  return (...args: readonly string[]) => userGit(['-c', 'core.hooksPath=/dev/null', ...args], { workTree: repository })
}

/** Implements Publisher.publish. */
export async function publish(places: Places, { branch, sha, from }: Publishing): Promise<void> {
  const ref = `refs/heads/${branch}`
  const run = runnerOf(places)

  if (await checkPlace(places, { branch, sha, from })) return
  // The old value, or zeros for none, guards against overwriting a concurrent change of the branch.
  const update = ['update-ref', '--no-deref', '-m', 'drydock: publish', ref, sha, from ?? '0'.repeat(sha.length)]
  await moveTo(places.handOver, sha, {
    move: () => run(...update),
    async isDone() {
      const now = await placeOf(run, ref)
      if (now?.at !== sha && (now?.at ?? null) !== from) throw elsewhere(places.repository, { branch, sha, from }, now)
      return now?.at === sha
    },
  })
}

function elsewhere(repository: string, { branch, sha, from }: Publishing, now: Place | null): DrydockError {
  if (from === null)
    return new DrydockError(
      'git_failed',
      `The branch ${branch} already exists in ${repository} at ${now?.at}, not at ${sha}.`,
      { todo: `git branch --move ${branch} ${branch}-old, then resume` },
    )
  const left = `Drydock left it at ${from} and would move it from there to ${sha}.`
  if (now === null)
    return new DrydockError('git_failed', `The branch ${branch} no longer exists in ${repository}. ${left}`, {
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
    `The branch ${branch} is checked out in ${folder}. If it moved now, it would no longer match the files there.`,
    { todo: 'Switch to another branch there (git switch NAME), then: drydock resume' },
  )
}
