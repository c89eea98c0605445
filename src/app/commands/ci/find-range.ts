import type { CiEvent } from '../../../domain/ci/ci-event.ts'
import type { CiRange } from '../../../domain/ci/ci-report.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Installation } from '../../installation.ts'

/** The range, or the files in which head and base cannot be merged. */
export type FoundRange =
  | ({ readonly ok: true } & CiRange)
  | { readonly ok: false; readonly base: string; readonly head: string; readonly conflicts: readonly string[] }

/**
 * Finds the commits of a pipeline's event. The merge with the tip of the base is verified, since
 * the base will contain that merge. Starting from an older commit therefore cannot choose an older
 * configuration. Throws DrydockError `shallow_history`, `unknown_revision`, `git_failed`.
 */
export async function findRange(
  drydock: Pick<Installation, 'clock' | 'history' | 'userRepository' | 'remotes'>,
  event: CiEvent,
): Promise<FoundRange> {
  if (await drydock.userRepository.isShallow()) throw shallow()
  await mustHave(drydock, event.head)
  return event.kind === 'change' ? rangeOfChange(drydock, event) : rangeOfPush(drydock, event)
}

async function rangeOfChange(
  drydock: Pick<Installation, 'clock' | 'history' | 'userRepository' | 'remotes'>,
  { head, base: named, merge }: Extract<CiEvent, { kind: 'change' }>,
): Promise<FoundRange> {
  const made = merge === null || merge === head ? null : await mergeOf(drydock, merge, head)
  if (made !== null) {
    const how = 'The service has merged the change with the base. That merge is verified.'
    return finish(drydock, { base: made, head, verified: merge ?? head, how })
  }
  const base = 'sha' in named ? named.sha : await tipOf(drydock, named.branch)
  await mustHave(drydock, base)
  await drydock.userRepository.takeIn([base, head])
  if (await drydock.history.isAncestor(base, head))
    return finish(drydock, { base, head, verified: head, how: 'The change starts from the tip of its base.' })
  if (await drydock.history.isAncestor(head, base))
    return finish(drydock, { base, head, verified: base, how: 'The base has all of the change already.' })
  const merged = await drydock.history.merge({ ours: base, theirs: head })
  if (!merged.clean) return { ok: false, base, head, conflicts: merged.conflicts }
  const verified = await drydock.history.commit({
    tree: merged.tree,
    parents: [base, head],
    message: `Merge ${head} into ${base}\n`,
    author: null,
    ref: `${mergesBelow}${base}-${head}`,
    at: drydock.clock.now(),
  })
  const how = 'The base has moved on. Drydock has merged the change with its tip, and that merge is verified.'
  return finish(drydock, { base, head, verified, how })
}

/** The prefix of hidden refs for merges that were made for one verification. */
const mergesBelow = 'refs/drydock/ci/'

export async function forgetMerges({ history }: Pick<Installation, 'history'>): Promise<void> {
  const refs = (await history.hidden(mergesBelow)).map(({ ref }) => ref)
  await history.forget(refs, AbortSignal.timeout(limits.ci.fetchMs))
}

/** The first parent of a merge whose second parent is the head. */
async function mergeOf(
  { userRepository }: Pick<Installation, 'userRepository'>,
  merge: string,
  head: string,
): Promise<string | null> {
  const parents = await userRepository.parentsOf(merge)
  const [first, second, ...more] = parents ?? []
  return first !== undefined && second === head && more.length === 0 ? first : null
}

async function tipOf(
  { userRepository, remotes }: Pick<Installation, 'userRepository' | 'remotes'>,
  branch: string,
): Promise<string> {
  const remote = await remotes.first()
  if (remote === null) throw unknown(`the branch ${branch}`)
  await remotes.fetchBranch(remote, branch)
  const tip = await userRepository.remoteBranch(remote, branch)
  if (tip === null) throw unknown(`the branch ${branch}`)
  return tip
}

async function rangeOfPush(
  drydock: Pick<Installation, 'clock' | 'history' | 'userRepository' | 'remotes'>,
  { name, head, before, defaultBranch }: Extract<CiEvent, { kind: 'push' }>,
): Promise<FoundRange> {
  const { userRepository } = drydock
  const known = before !== null && (await userRepository.parentsOf(before)) !== null ? before : null
  if (known !== null) {
    const base = await userRepository.mergeBase(known, head)
    const rewritten = 'The branch was rewritten. It is compared with the last commit that both have.'
    if (base === known)
      return finish(drydock, { base, head, verified: head, how: 'The branch is where it was pushed.' })
    if (base !== null) return finish(drydock, { base, head, verified: head, how: rewritten })
  }
  const remote = defaultBranch === null ? null : await drydock.remotes.first()
  const tip = remote && defaultBranch ? await userRepository.remoteBranch(remote, defaultBranch) : null
  const common = tip && (await userRepository.mergeBase(tip, head))
  if (tip && common && common !== head)
    return rangeOfChange(drydock, { kind: 'change', name, head, base: { sha: tip }, merge: null })
  const how = 'There is no commit before it to compare with. Only the steps are run, by its own configuration.'
  return finish(drydock, { base: head, head, verified: head, how })
}

async function finish(
  drydock: Pick<Installation, 'userRepository'>,
  range: Omit<CiRange, 'commits' | 'count'>,
): Promise<FoundRange> {
  const { base, head, verified } = range
  await drydock.userRepository.takeIn([base, head, verified])
  return { ok: true, ...range, ...(await drydock.userRepository.commitsBetween(base, head, limits.ci.commits)) }
}

async function mustHave({ userRepository }: Pick<Installation, 'userRepository'>, sha: string): Promise<void> {
  if ((await userRepository.parentsOf(sha)) === null) throw unknown(`the commit ${sha}`)
}

function shallow(): DrydockError {
  return new DrydockError('shallow_history', 'This is a shallow clone: the history of the change is cut off.', {
    todo: 'Let the checkout fetch all of it. GitHub and Forgejo: `fetch-depth: 0` under `with:` of actions/checkout. GitLab: the variable GIT_DEPTH: "0". By hand: git fetch --unshallow',
  })
}

function unknown(what: string): DrydockError {
  return new DrydockError('unknown_revision', `The checkout does not have ${what}.`, {
    todo: 'Let the checkout fetch all branches (fetch-depth: 0, GIT_DEPTH: "0"), or name commits that it has: drydock ci --base <commit> --head <commit>',
  })
}
