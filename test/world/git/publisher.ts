import { DrydockError } from '../../../src/domain/drydock-error.ts'
import type { Publisher } from '../../../src/ports/publisher.ts'
import { isSame } from '../objects.ts'
import { failed, type Mirror } from './mirror.ts'
import { headTree, type Repository } from './repository.ts'
import { isCheckedOut, uncommitted } from './user-repository.ts'

interface Move {
  readonly branch: string
  readonly sha: string
  readonly from: string | null
}

/** Publishes commits of a mirror to a user's repository in memory. */
export function createMemoryPublisher(repository: Repository, mirror: Mirror): Publisher {
  const { branches, notes, path } = repository
  /** Synchronous, so that nobody moves the branch between the check and the move. */
  const isThere = ({ branch, sha, from }: Move): boolean => {
    const now = branches.get(branch) ?? null
    if (now === sha) return true
    if (now !== from) throw elsewhere(repository, { branch, sha, from }, now)
    if (now !== null && isCheckedOut(repository, branch))
      throw failed(
        `The branch ${branch} is checked out in ${path}. If it moved now, it would no longer match the files there.`,
        'Switch to another branch there (git switch NAME), then: drydock resume',
      )
    return false
  }
  const move = (branch: string, sha: string) => {
    mirror.handOver(repository, sha)
    branches.set(branch, sha)
    // Sets the mirror's own ref, which the next update would fetch.
    mirror.refs.set(`refs/heads/${branch}`, sha)
  }
  return {
    check: async (branch, sha, from) => isThere({ branch, sha, from }),
    async publish(branch, sha, from) {
      if (!isThere({ branch, sha, from })) move(branch, sha)
    },
    async advance(branch, sha, from) {
      const now = branches.get(branch) ?? null
      if (now === sha) return
      if (now !== from) throw moved(branch, { from, now })
      if (isCheckedOut(repository, branch)) {
        if (uncommitted(repository).tracked.length > 0)
          throw new DrydockError(
            'apply_refused',
            `${branch} is checked out in ${path}, which has uncommitted changes.`,
            {
              todo: 'Nothing was moved. Commit or stash them (git stash), then run the same command again.',
            },
          )
        if (!mirror.objects.isAncestor(from, sha)) throw failed('fatal: Not possible to fast-forward, aborting.')
        takeFilesAlong(repository, mirror, sha)
      }
      move(branch, sha)
    },
    async note({ sha, text }) {
      if (!mirror.has(sha)) throw failed(`error: failed to resolve '${sha}' as a valid ref.`)
      // The user's notes come first; without any, those of the mirror are restored.
      const all = notes.size > 0 ? new Map(notes) : (mirror.notes.get(repository) ?? new Map<string, string>())
      all.set(sha, text)
      mirror.notes.set(repository, all)
      mirror.handOver(repository, sha)
      for (const [each, kept] of all) notes.set(each, kept)
    },
  }
}

function takeFilesAlong(repository: Repository, mirror: Mirror, sha: string): void {
  const { work } = repository
  const [old, next] = [headTree(repository), mirror.tree(sha)]
  const lost = [...next].filter(([path, entry]) => !old.has(path) && work.has(path) && !isSame(work.get(path), entry))
  if (lost.length > 0)
    throw failed(
      `error: The following untracked working tree files would be overwritten by merge: ${lost.map(([path]) => path).join(' ')}`,
    )
  for (const path of old.keys()) if (!next.has(path)) work.delete(path)
  for (const [path, entry] of next) if (!isSame(old.get(path), entry)) work.set(path, entry)
}

function elsewhere(repository: Repository, { branch, sha, from }: Move, now: string | null): DrydockError {
  const { path } = repository
  if (from === null)
    return failed(
      `The branch ${branch} already exists in ${path} at ${now}, not at ${sha}.`,
      `git branch --move ${branch} ${branch}-old, then resume`,
    )
  const left = `Drydock left it at ${from} and would move it from there to ${sha}.`
  if (now === null)
    return failed(
      `The branch ${branch} no longer exists in ${path}. ${left}`,
      `git branch ${branch} ${from} && drydock resume`,
    )
  const away = isCheckedOut(repository, branch) ? `git -C ${JSON.stringify(path)} switch --detach && ` : ''
  return failed(
    `Somebody moved the branch ${branch} in ${path} to ${now}. ${left}`,
    `${away}git branch ${branch}-mine ${now} && git update-ref refs/heads/${branch} ${from} && drydock resume`,
  )
}

function moved(branch: string, { from, now }: { readonly from: string; readonly now: string | null }): DrydockError {
  const where = now === null ? 'It no longer exists' : `It is at ${now.slice(0, 12)}`
  return new DrydockError(
    'branch_moved',
    `Somebody moved ${branch} meanwhile. ${where}, not at ${from.slice(0, 12)}.`,
    { todo: 'Run the same command again: it verifies the merge with the branch as it is now.' },
  )
}
