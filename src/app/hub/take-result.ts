import { isCommitId } from '../../domain/commit-id.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Installation } from '../installation.ts'
import type { HubAccess, StateAccess } from '../state-access.ts'

/**
 * Brings the branches of Runs into this clone, one after the other. Returns the failures, so that
 * the caller can report the results first.
 */
export async function takeResults(
  drydock: Pick<Installation, 'clock' | 'userRepository' | 'publisher' | 'remotes'> & Pick<StateAccess, 'atHub'>,
  runs: readonly string[],
): Promise<{ readonly error: unknown } | null> {
  try {
    for (const run of runs) await takeResult(drydock, run)
    return null
  } catch (error) {
    return { error }
  }
}

/**
 * Brings the branch that a Run has made at a hub into this clone, with the receipts of its commits.
 * Without a hub the branch is there already. A branch of that name with commits of somebody else
 * stays unchanged. Idempotent. Throws DrydockError `branch_moved`, `apply_refused`, `git_failed`,
 * `hub_unreachable`.
 */
async function takeResult(
  drydock: Pick<Installation, 'clock' | 'userRepository' | 'publisher' | 'remotes'> & Pick<StateAccess, 'atHub'>,
  id: string,
): Promise<void> {
  const { atHub: hub } = drydock
  if (hub === null) return
  const { branch, sha, base } = (await hub.operations().work({ id, meant: 'built' })).result
  if (branch === null || sha === null || base === null) return
  if (!branch.startsWith('drydock/') || !isCommitId(sha) || !isCommitId(base)) throw notOurs(hub, branch)
  const { userRepository, remotes, publisher } = drydock
  if ((await userRepository.parentsOf(sha)) === null) await remotes.fetchCommit(hub.repository(), sha)
  await userRepository.takeIn([sha])
  await takeReceipts(drydock, hub, { base, sha })
  const isThere = (await userRepository.branches(branch)).includes(branch)
  const from = isThere ? (await userRepository.target(branch)).sha : null
  if (from === sha) return
  if (from === null) return publisher.publish(branch, sha, null)
  if ((await userRepository.mergeBase(from, sha)) !== from) throw movedHere(branch, { from, sha })
  await publisher.advance(branch, sha, from)
}

/**
 * The error for a branch name that is not Drydock's: a hub may only write to Drydock's branches.
 */
function notOurs({ url }: HubAccess, branch: string): DrydockError {
  return new DrydockError('hub_unreachable', `The hub ${url} names ${JSON.stringify(branch)} as the branch of a run.`, {
    todo: 'Nothing was changed here. Ask who runs the hub: it is not what a hub of Drydock says.',
  })
}

interface Built {
  readonly base: string
  readonly sha: string
}

async function takeReceipts(
  drydock: Pick<Installation, 'clock' | 'userRepository' | 'publisher'>,
  hub: HubAccess,
  { base, sha }: Built,
): Promise<void> {
  const { userRepository, publisher, clock } = drydock
  const { commits } = await userRepository.commitsBetween(base, sha, limits.client.receipts)
  const noted = await userRepository.noted()
  const { receipt } = hub.operations()
  const receiptOf = async (commit: string) => {
    try {
      return (await receipt({ commit })).envelope
    } catch (error) {
      if (error instanceof DrydockError && error.code === 'not_found') return null
      throw error
    }
  }
  for (const commit of commits.filter((each) => !noted.has(each)).toReversed()) {
    const text = await receiptOf(commit)
    if (text !== null && text.length <= limits.receipt.bytes)
      await publisher.note({ sha: commit, text, at: clock.now() })
  }
}

function movedHere(branch: string, { from, sha }: { readonly from: string; readonly sha: string }): DrydockError {
  return new DrydockError(
    'branch_moved',
    `The branch ${branch} is at ${from.slice(0, 12)} here, which the result of the run does not contain.`,
    { todo: `Nothing was moved. Keep the result under another name: git branch ${branch}-of-hub ${sha}` },
  )
}
