import type { Finish } from '../../../api/finish.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { landsTogether, repositoryResults } from '../../../domain/run/repositories.ts'
import { isTestFile } from '../../../domain/story/plan.ts'
import type { Manifest } from '../../../domain/verification/verdict.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Records } from '../../../ports/store.ts'
import { type Built, readBuilt, readLandable } from '../../commands/land/landable.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { StateAccess } from '../../state-access.ts'
import { shellWord } from '../../text/shell-word.ts'
import { readChangeOf } from '../change-of-run.ts'
import { findExactly } from '../find/find-exactly.ts'
import type { ReceiptViews } from '../receipts/receipts.ts'
import { finishFindings, readAcceptedComments } from './finish-findings.ts'
import { readFollowUps } from './follow-ups.ts'
import { goneBranch } from './gone-branches.ts'
import { holdKey, holdsFor } from './holds.ts'
import { readLandings } from './landings.ts'
import { verdictOf } from './verdict.ts'

interface Sources {
  readonly drydock: Pick<Installation, 'repository' | 'history' | 'userRepository' | 'remotes' | 'openForge'> &
    Pick<StateAccess, 'openRecords' | 'atHub'>
  readonly reader: ReceiptReader
  readonly receipts: Pick<ReceiptViews, 'check'>
  /** The name of the dashboard's user; null on a hub. */
  readonly you: () => Promise<string | null>
}

/**
 * The result of a Run that is at rest, with its receipts and the ways to land it. Throws
 * DrydockError `not_found`.
 */
export async function readFinish(sources: Sources, id: string): Promise<Finish> {
  const { drydock, reader } = sources
  const facts = await reading(drydock, async (records) => {
    const { run: asked } = await findExactly(records, id)
    const built = await readBuilt(records, id)
    return {
      asked,
      built,
      manifest: await manifestOf(records, built),
      landings: await readLandings(records, built.run.id),
      change: await readChangeOf(records, built.run),
      followUps: await readFollowUps(records, built.run),
      comments: await readAcceptedComments(records, built.run),
    }
  })
  const { asked, built, manifest, landings, change, followUps, comments } = facts
  const { run, branch, sha } = built
  const { applied, base, target } = run.data
  const gone = await goneBranch(drydock, run)
  const [refusal, stat, proven, branches, forge] = await Promise.all([
    readLandable(drydock, reader, { id: run.id, goal: 'onto' }).then(() => null, refusalOf),
    statOf(drydock, built, manifest).catch(missing),
    provenOf(sources, built).catch(missing),
    branchesFor(drydock, { target, own: branch }),
    forgeOf(drydock),
  ])
  const { holds } = built
  const over = { over: holds.map(holdKey), reason: '', by: '', held_by: '' }
  const anyway =
    holds.length > 0 &&
    (await readLandable(drydock, reader, { id: run.id, goal: 'onto', anyway: over }).then(() => true, isRefused))
  const isDecidedThere = refusal !== null && holds.length > 0 && holdsFor(holds, 'change').length === 0
  const told = { landings, change, applied: applied && [...applied] }
  return {
    run: run.id,
    branch,
    base,
    sha,
    stat,
    refusal,
    forge,
    ...told,
    gone: gone?.message ?? null,
    findings: finishFindings(built, comments),
    verdict: verdictOf(asked, built, { ...told, you: await sources.you() }),
    anyway,
    follow_ups: followUps,
    change_refusal: isDecidedThere
      ? await readLandable(drydock, reader, { id: run.id, goal: 'change' }).then(() => null, refusalOf)
      : refusal,
    branches: branches.map((name) => ({ name, command: `drydock land ${run.id} --onto ${shellWord(name)}` })),
    commands: {
      change: `drydock land ${run.id} --pr`,
      apply: `drydock land ${run.id} --apply`,
      look: gone === undefined ? `git switch ${shellWord(branch ?? '')}` : gone.command,
    },
    receipts: proven ?? [],
    repositories: landsTogether(run)
      ? repositoryResults(run).map(({ base: _base, ...each }) => ({ ...each, command: mergeLine(each) }))
      : null,
  }
}

function mergeLine({ path, branch }: { readonly path: string; readonly branch: string | null }): string {
  return `git -C ${shellWord(path)} merge ${shellWord(branch ?? '')}`
}

function refusalOf(error: unknown) {
  if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
  throw error
}

function isRefused(error: unknown): false {
  if (error instanceof DrydockError) return false
  throw error
}

/** Leaves out records that are no longer kept; the rest is still worth showing. */
function missing(error: unknown): null {
  if (error instanceof DrydockError) return null
  throw error
}

/**
 * The manifest of the verification of exactly the result, from this Run or from one that added to
 * its branch.
 */
async function manifestOf(records: Records, { run, sha, added }: Built): Promise<Manifest | null> {
  for (const id of [run.id, ...added]) {
    const rows = await records.verifications(id)
    const found = rows.findLast(({ commitSha, status }) => commitSha === sha && status === 'PASS')
    if (found !== undefined) return found.manifest
  }
  return null
}

async function statOf(
  { history }: Pick<Installation, 'history'>,
  { run, sha }: Built,
  manifest: Manifest | null,
): Promise<Finish['stat']> {
  const { base } = run.data
  if (base === null || sha === null) return null
  const [changed, counts] = await Promise.all([history.changedFiles(base, sha), history.lineCounts(base, sha)])
  const kinds = new Map((manifest?.files ?? []).map(({ path, is }) => [path, is]))
  const files = changed.map(({ path, status }) => {
    const lines = counts.get(path) ?? null
    const test = (kinds.get(path) ?? (isTestFile(path) ? 'test' : 'other')) === 'test'
    return { path, status, added: lines?.added ?? null, removed: lines?.removed ?? null, test }
  })
  const sum = (what: 'added' | 'removed') => files.reduce((all, file) => all + (file[what] ?? 0), 0)
  return {
    files: files.slice(0, limits.dashboard.finishFiles),
    count: files.length,
    added: sum('added'),
    removed: sum('removed'),
    test_files: files.filter(({ test }) => test).length,
    tests_added: testsAdded(manifest, base),
  }
}

/** The number of added tests; null if the verification's base is another commit, as for a merge. */
function testsAdded(manifest: Manifest | null, base: string): number | null {
  const before = manifest?.base?.commit_sha === base ? manifest.base.tests : undefined
  const now = manifest?.tests
  if (before === undefined || now === undefined) return null
  const all = ({ passed, failed, skipped }: typeof now) => passed + failed + skipped
  return all(now) - all(before)
}

/** The receipt of the result, followed by the receipts of earlier commits, newest first. */
async function provenOf({ receipts }: Sources, { sha, commits, run }: Built): Promise<Finish['receipts'] | null> {
  if (sha === null || landsTogether(run)) return null
  const order = [...new Set([sha, ...commits.toReversed()])].slice(0, limits.dashboard.receiptChecks)
  const checked = new Map((await receipts.check(order)).receipts.map((line) => [line.commit, line]))
  return order.flatMap((commit) => checked.get(commit) ?? [])
}

/** The branch that the Run started from, the branch that is checked out, and the other branches. */
async function branchesFor(
  { userRepository }: Pick<Installation, 'userRepository'>,
  { target, own }: { readonly target: string | null; readonly own: string | null },
): Promise<string[]> {
  const all = (await userRepository.branches('')).filter((name) => name !== own && !name.startsWith('drydock/'))
  const here = (await userRepository.target(null).catch(missing))?.branch ?? null
  const first = [target, here].filter((name) => name !== null && all.includes(name)) as string[]
  return [...new Set([...first, ...all])].slice(0, limits.dashboard.finishFiles)
}

/** The forge of `origin`, without contacting it; null if the remote does not belong to a forge. */
async function forgeOf(drydock: Pick<Installation, 'remotes' | 'openForge'>): Promise<Finish['forge']> {
  try {
    const url = await drydock.remotes.url('origin')
    const { name } = await drydock.openForge(url, null)
    return { name, problem: null }
  } catch (error) {
    const problem = refusalOf(error)
    if (problem.code === 'no_forge_token') return { name: 'origin', problem }
    return null
  }
}
