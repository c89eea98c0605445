import { DrydockError } from '../../../domain/drydock-error.ts'
import { firmFindings } from '../../../domain/gate/finding.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import type { Spending } from '../../../domain/run/budget.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { landsTogether } from '../../../domain/run/repositories.ts'
import { followedBy, hasCrew, isEnded, type Run } from '../../../domain/run/run.ts'
import { verifiedCommit } from '../../../domain/run/verified-commit.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Receipt } from '../../../domain/verification/receipt.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Records } from '../../../ports/store.ts'
import type { Drydock } from '../../drydock.ts'
import { reading } from '../../reading.ts'
import { findWork, isBuilt } from '../../views/find/find-work.ts'

/** A Run whose result can be landed, with the proof of it. */
export interface Landable {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly spending: readonly Spending[]
  readonly branch: string
  /** The commit that was verified: never what somebody has put on the branch since. */
  readonly sha: string
  /** All verified commits of the branch, each with a receipt. */
  readonly commits: readonly string[]
  readonly receipt: Receipt
  /** SHA-256 of the receipt as it is noted, in hex. */
  readonly digest: string
}

/** The named Run, or the latest one that builds. DrydockError `not_found`, `not_landable`. */
export async function readLandable(
  drydock: Drydock,
  receipts: ReceiptReader,
  id: string | undefined,
): Promise<Landable> {
  const facts = await reading(drydock, async (records) => {
    const named = (await findWork(records, id, isBuilt)).run
    const followed = followedBy(named)
    const run = followed === null ? named : (await findWork(records, followed.run)).run
    const stories = await records.machines({ kind: 'story', run: run.id })
    const merges = await records.machines({ kind: 'merge', run: run.id, states: ['MERGED'] })
    const merged = merges.flatMap(({ data }) => data.commit ?? [])
    const added = await addedTo(records, run)
    return { run, stories, merged, added, spending: await records.spending(run.id) }
  })
  const { added, merged, ...rest } = facts
  const { run, stories } = rest
  if (landsTogether(run)) throw several(run)
  const branch = publishedBranch(run)
  if (!isEnded(run.state)) throw unfinished(run)
  const sha = verifiedCommit(run, stories)
  if (branch === null || sha === null) throw nothingBuilt(run)
  const open = hasCrew(run) ? [] : stories.flatMap(({ data }) => openIn(data))
  if (open.length > 0) throw notAccepted(run, open)
  const weaker = added.find((each) => each.open.length > 0)
  if (weaker !== undefined) throw notAccepted(weaker.run, weaker.open)
  const proof = await receipts.check({ directory: drydock.repository, revision: sha, only: null })
  if (!proof.checked.ok || proof.digest === null) throw notProven(run, sha)
  const own = hasCrew(run) ? merged : stories.flatMap(({ data }) => data.attempts.at(-1)?.sha ?? [])
  const commits = [...own, ...added.map((each) => each.sha)]
  return { ...rest, commits, branch, sha, receipt: proof.checked.receipt, digest: proof.digest }
}

/** A Run that has put a verified commit on the branch of another. */
interface Added {
  readonly run: Run
  readonly sha: string
  /** Findings of the gate that nobody has accepted. */
  readonly open: readonly string[]
}

async function addedTo(records: Records, { id }: Run): Promise<readonly Added[]> {
  const runs = await records.machines({ kind: 'run', states: ['DONE'] })
  const following = runs.filter((run) => followedBy(run)?.run === id)
  const added = await Promise.all(
    following.map(async (run): Promise<readonly Added[]> => {
      const stories = await records.machines({ kind: 'story', run: run.id })
      const sha = verifiedCommit(run, stories)
      const found = heldByGate(stories.flatMap(({ data }) => data.reviews.code.findings))
      const open = found.filter(({ state }) => state === 'open').map((finding) => finding.id)
      return sha === null ? [] : [{ run, sha, open }]
    }),
  )
  return added.flat()
}

function openIn(data: Story['data']): readonly string[] {
  return firmFindings(data.reviews.code.findings).flatMap(({ id, state }) => (state === 'open' ? [id] : []))
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

function notAccepted({ id }: Run, open: readonly string[]): DrydockError {
  return new DrydockError(
    'not_landable',
    `Nobody has accepted these findings of the gate in ${id}: ${open.join(', ')}`,
    {
      todo: `Look at them: drydock report ${id}. Then accept them: drydock accept ${id} ${open.join(' ')}`,
    },
  )
}

function notProven({ id }: Run, sha: string): DrydockError {
  return new DrydockError('not_landable', `The receipt of ${sha.slice(0, 12)}, the result of ${id}, is not proven.`, {
    todo: `See why: drydock receipt verify ${sha.slice(0, 12)}`,
  })
}
