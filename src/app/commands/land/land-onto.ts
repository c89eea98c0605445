import { DrydockError } from '../../../domain/drydock-error.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import { type GateFinding, unaccepted } from '../../../domain/gate/gate-finding.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { commitMessage } from '../../../domain/story/commit-message.ts'
import { receiptOf, withAnyway } from '../../../domain/verification/receipt.ts'
import type { Manifest, VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { changeTitle } from '../../views/report/change-text.ts'
import type { WorkOptions } from '../../work-options.ts'
import { type Landable, revisionOf } from './landable.ts'

/** The steps that bring a Run's result onto a branch. */
export interface Way {
  readonly branch: string
  /** The commit that the branch points to now. */
  readonly from: string
  /** The commit that the branch will point to. */
  readonly sha: string
  /**
   * `there`: the branch already has the commit; `forward`: it moves to the verified commit;
   * `merge`: it moves to a merge with that commit.
   */
  readonly kind: 'there' | 'forward' | 'merge'
}

/**
 * Finds the way of a result onto a branch; a repeated merge gives the same commit. Throws
 * DrydockError `land_conflict`, `unknown_revision`.
 */
export async function wayOnto(
  drydock: Pick<Installation, 'user' | 'clock' | 'history' | 'userRepository'>,
  landable: Landable,
  name: string,
): Promise<Way> {
  const { history, userRepository } = drydock
  const { branch, sha: from } = await userRepository.target(name)
  if (branch === null) throw noBranch(name)
  await userRepository.updateMirror(AbortSignal.timeout(updateMs))
  const theirs = landable.sha
  if (await history.isAncestor(theirs, from)) return { branch, from, sha: from, kind: 'there' }
  if (await history.isAncestor(from, theirs)) return { branch, from, sha: theirs, kind: 'forward' }
  return { branch, from, sha: await mergeCommit(drydock, landable, { branch, from }), kind: 'merge' }
}

const updateMs = 600_000

/**
 * Makes the merge commit, or finds the one of an earlier try: the name of its hidden ref contains
 * both parents.
 */
async function mergeCommit(
  { history, userRepository, user, clock }: Pick<Installation, 'user' | 'clock' | 'history' | 'userRepository'>,
  landable: Landable,
  { branch, from }: Pick<Way, 'branch' | 'from'>,
): Promise<string> {
  const { run, sha: theirs } = landable
  const under = `refs/drydock/landings/${run.id}/`
  const ref = `${under}${from}-${theirs}`
  const made = (await history.hidden(under)).find((each) => each.ref === ref)
  if (made !== undefined) return made.sha
  const merged = await history.merge({ ours: from, theirs })
  if (!merged.clean) throw conflict(landable, branch, merged.conflicts)
  const summary = `Merge ${landable.branch} into ${branch}\n\n${changeTitle(run)}`
  const message = commitMessage({ summary, own: {}, added: user.commit.trailers })
  const author = await userRepository.author()
  const { tree } = merged
  return history.commit({ tree, parents: [from, theirs], message, author, ref, at: clock.now(), signed: true })
}

/** The verification of a merge that has passed or is in progress; null without one. */
export function verificationOfMerge(drydock: RecordSource, sha: string): Promise<Run | null> {
  return reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run', states: ['WAITING', 'MONITORING', 'DONE'] })
    const own = runs.filter(
      ({ data: { request } }) => request.kind === 'verify' && request.asMerge && request.commit === sha,
    )
    return own.findLast((run) => !isEnded(run.state) || responseOf(run)?.status === 'PASS') ?? null
  })
}

/** The options for verifying a merge: it may fail the tests that the Run itself may fail. */
export function mergeTerms({ run }: Pick<Landable, 'run'>, { branch }: Pick<Way, 'branch'>): WorkOptions {
  const { allowFailing } = run.data
  return { target: branch, ...(allowFailing !== undefined && { allowFailing }) }
}

export function responseOf({ data: { answer } }: Pick<Run, 'data'>): VerifierResponse | null {
  return answer !== null && typeof answer === 'object' && 'run_id' in answer ? (answer as never) : null
}

interface Landing {
  readonly landable: Landable
  readonly way: Way
  /** The verification of a merge; null if the branch only fast-forwards. */
  readonly response: VerifierResponse | null
  /** Ids of findings of the gate that a person accepts on the merged result. */
  readonly accepted: readonly string[]
}

/**
 * Moves the branch to the verified commit. A landing needs a receipt, and is never forced. Throws
 * DrydockError `not_landable`, `branch_moved`, `apply_refused`, `receipt_failed`.
 */
export async function landOnto(
  drydock: Pick<Installation, 'history' | 'publisher' | 'receipts'> & RecordSource,
  { landable, way, response, accepted }: Landing,
): Promise<void> {
  const { publisher, history } = drydock
  if (way.kind === 'merge') {
    const manifest = response?.status === 'PASS' ? response.manifest : null
    if (manifest?.commit_sha !== way.sha) throw new Error(`${way.sha} is not verified`)
    const findings = findingsOn(manifest, { landable, way, accepted })
    await keepReceipt(drydock, { landable, way, manifest, findings })
  }
  if (way.kind !== 'there') await publisher.advance(way.branch, way.sha, way.from)
  const left = await history.hidden(`refs/drydock/landings/${landable.run.id}/`)
  await history.forget(
    left.map(({ ref }) => ref),
    AbortSignal.timeout(updateMs),
  )
}

/**
 * Findings of the gate on a merge that nobody has accepted, neither on the Run nor on the merge.
 */
export function openOnMerge(
  { integrity }: Pick<Manifest, 'integrity'>,
  landable: Pick<Landable, 'stories' | 'passed'>,
  accepted: readonly string[],
): readonly GateFinding[] {
  const before = landable.stories.flatMap(({ data }) => data.reviews.code.findings)
  const taken = [...accepted, ...landable.passed]
  return unaccepted(integrity?.findings ?? [], before).filter(({ id }) => !taken.includes(id))
}

/** Accepted findings, either of the Run or of its merge. */
function findingsOn(
  manifest: Manifest,
  { landable, way, accepted }: Pick<Landing, 'landable' | 'way' | 'accepted'>,
): readonly TrackedFinding[] {
  const found = manifest.integrity?.findings ?? []
  const before = landable.stories.flatMap(({ data }) => data.reviews.code.findings)
  const now = found
    .filter(({ id }) => accepted.includes(id))
    .map(({ kind: _kind, ...finding }): TrackedFinding => {
      return { ...finding, by: 'gate', state: 'accepted', acceptedBy: 'human', round: 1 }
    })
  const open = openOnMerge(manifest, landable, accepted)
  if (open.length === 0) return [...before.filter(({ id }) => found.some((each) => each.id === id)), ...now]
  const told = open.map(({ id, claim }) => `${id}: ${claim}`).join('\n')
  throw new DrydockError('not_landable', `Nobody has accepted these findings of the gate on the merge:\n${told}`, {
    todo: `Accept them: drydock land ${landable.run.id} --onto ${way.branch} ${open.map(({ id }) => `--accept ${id}`).join(' ')}`,
  })
}

interface Proving extends Pick<Landing, 'landable' | 'way'> {
  readonly manifest: Manifest
  readonly findings: readonly TrackedFinding[]
}

async function keepReceipt(
  drydock: Pick<Installation, 'publisher' | 'receipts'> & RecordSource,
  { landable, way, manifest, findings }: Proving,
): Promise<void> {
  const { run } = landable
  const totals = await reading(drydock, (records) => records.totals(run.id))
  const receipt = receiptOf({
    made_at: manifest.timestamp_end,
    onto: way.from,
    base: way.from,
    approved_commit: null,
    reviewer: null,
    run: { id: run.id, kind: run.data.request.kind === 'spec' ? 'spec' : 'task', branch: way.branch },
    story: { id: 'landing', title: changeTitle(run) },
    manifest,
    findings,
    escalations: [],
    cost: {
      usd: totals.unpriced > 0 ? null : totals.costMicroUsd / 1e6,
      tokens: totals.tokens,
      calls: totals.calls,
    },
  })
  const { anyway } = landable
  const { text } = await drydock.receipts.keep(anyway === null ? receipt : withAnyway(receipt, anyway))
  await drydock.publisher.note({ sha: way.sha, text, at: new Date(receipt.made_at) })
}

export function noBranch(name: string): DrydockError {
  return new DrydockError('unknown_revision', `${JSON.stringify(name)} is no local branch.`, {
    todo: 'Name one: git branch --list',
  })
}

function conflict(landable: Landable, branch: string, paths: readonly string[]): DrydockError {
  const { run } = landable
  const work = revisionOf(landable)
  const some = paths.slice(0, 10).join(', ')
  return new DrydockError('land_conflict', `${work} and ${branch} both changed: ${some}`, {
    todo: `Nothing was moved. Merge them by hand (git switch ${branch} && git merge ${work}), or build ${run.id} again on ${branch} with --again.`,
  })
}
