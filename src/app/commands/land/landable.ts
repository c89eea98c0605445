import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Anyway, LandingGoal } from '../../../domain/landing/landing.ts'
import type { Spending } from '../../../domain/run/budget.ts'
import type { GoneBranch } from '../../../domain/run/gone-branch.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { landsTogether } from '../../../domain/run/repositories.ts'
import { followedBy, isEnded, type Run } from '../../../domain/run/run.ts'
import { verifiedCommit } from '../../../domain/run/verified-commit.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Receipt } from '../../../domain/verification/receipt.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Records } from '../../../ports/store.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'
import { heldText } from '../../text/holds-text.ts'
import { findWork } from '../../views/find/find-work.ts'
import { goneBranch } from '../../views/finish/gone-branches.ts'
import { type Hold, holdKey, holdsFor, readHolds } from '../../views/finish/holds.ts'

/** A Run whose result can be landed, with its receipts. */
export interface Landable {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly spending: readonly Spending[]
  readonly branch: string
  /** The deleted branch; undefined while the branch exists. */
  readonly gone: GoneBranch | undefined
  /** The verified commit, even if somebody has added commits to the branch since. */
  readonly sha: string
  /** All verified commits of the branch, each with a receipt. */
  readonly commits: readonly string[]
  readonly receipt: Receipt
  /** SHA-256 of the receipt in the note, in hex. */
  readonly digest: string
  /** Set when a person lands the result although something holds it. */
  readonly anyway: Anyway | null
  /** Ids of findings that nobody has accepted, and that land anyway. */
  readonly passed: readonly string[]
}

/** The result of a Run, landable or not. */
export interface Built {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly branch: string | null
  readonly sha: string | null
  /** All verified commits of the branch, in the order in which they were added. */
  readonly commits: readonly string[]
  /** The other Runs that have put commits on the branch. */
  readonly added: readonly string[]
  readonly holds: readonly Hold[]
}

/** The Run to land, and the purpose. */
export interface LandableQuery {
  /** The id of a Run; undefined for the latest Run that builds. */
  readonly id: string | undefined
  /** Null for a landing that has already begun: a later hold does not stop it halfway. */
  readonly goal: LandingGoal['kind'] | null
  readonly anyway?: Anyway | null
}

/**
 * Reads the named Run, or the latest one that builds. For a follow-up, reads the Run that it
 * follows.
 */
export async function readBuilt(records: Records, id: string | undefined): Promise<Built> {
  const named = (await findWork(records, id)).run
  const followed = followedBy(named)
  const run = followed === null ? named : (await findWork(records, followed.run)).run
  const stories = await records.machines({ kind: 'story', run: run.id })
  const merges = await records.machines({ kind: 'merge', run: run.id, states: ['MERGED'] })
  const added = await addedTo(records, run)
  const own =
    run.data.policy.result === 'merged'
      ? merges.flatMap(({ data }) => data.commit ?? [])
      : stories.flatMap(({ data }) => data.attempts.at(-1)?.sha ?? [])
  return {
    run,
    stories,
    branch: publishedBranch(run),
    sha: verifiedCommit(run, stories),
    commits: [...own, ...added.map((each) => each.sha)],
    added: added.map((each) => each.run.id),
    holds: await readHolds(records, run, stories),
  }
}

/** Reads a Run's result with its receipts. Throws DrydockError `not_found`, `not_landable`. */
export async function readLandable(
  drydock: Pick<Installation, 'repository' | 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub'>,
  receipts: ReceiptReader,
  { id, goal, anyway = null }: LandableQuery,
): Promise<Landable> {
  const { spending, ...built } = await reading(drydock, async (records) => {
    const found = await readBuilt(records, id)
    return { ...found, spending: await records.spending(found.run.id) }
  })
  const { run, stories, branch, sha, commits, holds } = built
  if (landsTogether(run)) throw several(run)
  if (!isEnded(run.state)) throw unfinished(run)
  if (branch === null || sha === null) throw nothingBuilt(run)
  const gone = await goneBranch(drydock, run)
  if (gone?.taken === false && gone.command === null) throw lost(run, gone)
  const passed = holds.filter((hold) => anyway?.over.includes(holdKey(hold)) ?? false)
  const holding = goal === null ? [] : holdsFor(holds, goal).filter((hold) => !passed.includes(hold))
  if (holding.length > 0) throw held(run, holding)
  const proof = await receipts.check({ directory: drydock.repository, revision: sha, only: null })
  if (!proof.checked.ok || proof.digest === null) throw notProven(run, sha)
  return {
    run,
    stories,
    spending,
    commits,
    branch,
    gone,
    sha,
    anyway,
    receipt: proof.checked.receipt,
    digest: proof.digest,
    passed: passed.flatMap((hold) => (hold.kind === 'finding' ? [hold.finding.id] : [])),
  }
}

/** A Run that has put a verified commit on the branch of another. */
interface RunOnBranch {
  readonly run: Run
  readonly sha: string
}

async function addedTo(records: Records, { id }: Run): Promise<readonly RunOnBranch[]> {
  const runs = await records.machines({ kind: 'run', states: ['DONE'] })
  const following = runs.filter((run) => followedBy(run)?.run === id)
  const added = await Promise.all(
    following.map(async (run): Promise<readonly RunOnBranch[]> => {
      const stories = await records.machines({ kind: 'story', run: run.id })
      const sha = verifiedCommit(run, stories)
      return sha === null ? [] : [{ run, sha }]
    }),
  )
  return added.flat()
}

function several({ id }: Run): DrydockError {
  return new DrydockError(
    'not_landable',
    `${id} is over several repositories, and \`drydock land\` lands one branch.`,
    {
      todo: `Merge or push the branch of each repository with git: drydock report ${id} names them.`,
    },
  )
}

function unfinished({ id, state }: Run): DrydockError {
  return new DrydockError('not_landable', `${id} is ${state}. Only a run that has ended can be landed.`, {
    todo: `Follow it: drydock watch ${id}`,
  })
}

function nothingBuilt({ id, state }: Run): DrydockError {
  return new DrydockError('not_landable', `${id} is ${state} and has no branch with a verified commit.`, {
    todo: `See its result: drydock report ${id}`,
  })
}

function lost({ id }: Run, { message, todo }: GoneBranch): DrydockError {
  return new DrydockError('not_landable', `The result of ${id} is gone. ${message}`, { todo })
}

function held(run: Run, holds: readonly Hold[]): DrydockError {
  const { message, todo } = heldText(run, holds)
  return new DrydockError('not_landable', message, { todo })
}

function notProven({ id }: Run, sha: string): DrydockError {
  return new DrydockError('not_landable', `The receipt of ${sha.slice(0, 12)}, the result of ${id}, is not proven.`, {
    todo: `See why: drydock receipt verify ${sha.slice(0, 12)}`,
  })
}

/**
 * A revision that git can resolve to the verified commit: the branch while it exists, otherwise the
 * short SHA.
 */
export function revisionOf({ branch, sha, gone }: Pick<Landable, 'branch' | 'sha' | 'gone'>): string {
  return gone === undefined ? branch : sha.slice(0, 12)
}
