import { DrydockError } from '../../../domain/drydock-error.ts'
import { heldByGate } from '../../../domain/gate/gate-finding.ts'
import type { Spending } from '../../../domain/run/budget.ts'
import { publishedBranch } from '../../../domain/run/published-branch.ts'
import { landsTogether } from '../../../domain/run/repositories.ts'
import { hasCrew, isEnded, type Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Receipt } from '../../../domain/verification/receipt.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
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
    const { run } = await findWork(records, id, isBuilt)
    const stories = await records.machines({ kind: 'story', run: run.id })
    const merges = await records.machines({ kind: 'merge', run: run.id, states: ['MERGED'] })
    const merged = merges.flatMap(({ data }) => data.commit ?? [])
    return { run, stories, merged, spending: await records.spending(run.id) }
  })
  const { run, stories, merged } = facts
  if (landsTogether(run)) throw several(run)
  const branch = publishedBranch(run)
  if (!isEnded(run.state)) throw unfinished(run)
  const sha = hasCrew(run) ? run.data.tip : (stories[0]?.data.attempts.at(-1)?.sha ?? null)
  if (branch === null || sha === null) throw nothingBuilt(run)
  const open = hasCrew(run) ? [] : stories.flatMap(({ data }) => openIn(data))
  if (open.length > 0) throw notAccepted(run, open)
  const proof = await receipts.check({ directory: drydock.repository, revision: sha, only: null })
  if (!proof.checked.ok || proof.digest === null) throw notProven(run, sha)
  const commits = hasCrew(run) ? merged : [sha]
  return { ...facts, commits, branch, sha, receipt: proof.checked.receipt, digest: proof.digest }
}

function openIn(data: Story['data']): readonly string[] {
  return heldByGate(data.reviews.code.findings).flatMap(({ id, state }) => (state === 'open' ? [id] : []))
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
