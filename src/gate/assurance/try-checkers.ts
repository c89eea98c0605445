import { isForPeople, isProgram } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import {
  type CheckedFiles,
  isCheckable,
  sourceOf,
  type UnreadFile,
  unreadFiles,
} from '../../domain/gate/judges/checked-files.ts'
import { limits } from '../../domain/limits.ts'
import { mayWrite } from '../../domain/run/step-writes.ts'
import type { Checkers } from '../../domain/verification/assurance.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { contentsOf, diffOf, textAt } from '../findings/compared-files.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import { runOn } from '../tests-of-tree.ts'
import { checkedFiles } from '../tracing/checked-files.ts'
import { createTracing } from '../tracing/tracing.ts'
import { namelessSteps } from './lost-between.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

interface CheckerTrial {
  /** Null if there is nothing to check. */
  readonly checkers: Checkers | null
  /** Files that the steps read with the change; null if they were not traced. */
  readonly checked: CheckedFiles | null
  readonly found: readonly Suspicion[]
}

const nothing: CheckerTrial = { checkers: null, checked: null, found: [] }

/**
 * Finds files that steps without named tests, such as compilers and linters, read on the base
 * commit and no longer read with the change, although the files still exist. These steps run once
 * more with a tracer, if the change could have led one of them past a file.
 */
export async function tryCheckers(deps: VariantDeps, trying: Trying, signal: AbortSignal): Promise<CheckerTrial> {
  const { input, base, change } = trying
  const steps = namelessSteps(change)
  if (steps.length === 0 || !(await mayLeaveOut(deps, trying))) return nothing
  const notLooked = (reason: string): CheckerTrial => ({
    ...nothing,
    checkers: { status: 'not_looked_at', steps, reason },
  })
  const { deciding, checked: before } = base
  if (deciding === undefined || deciding.untraced !== null)
    return notLooked(deciding?.untraced ?? 'the steps of the base commit were not traced')
  const known = steps.filter((step) => (before?.[step]?.length ?? 0) > 0)
  if (before === undefined || known.length === 0) return nothing
  const now = await readNow(deps, trying, { steps: known, commit: input.commit, name: 'checkers' }, signal)
  const left = steps.filter((step) => known.includes(step) && now[step] === undefined)
  if (left.length > 0) return notLooked(`${left.join(', ')} ended otherwise when it was traced`)
  const takenFrom = await takenCode(deps, trying, signal)
  const unread = unreadFiles({ before, now, files: trying.files, takenFrom })
  const suspected = await withoutOrphans(deps, trying, unread, signal)
  const checkers: Checkers = { status: 'looked_at', steps: known }
  if (suspected.length === 0) return { checkers, checked: now, found: [] }
  // A tool may skip a file that its cache knows.
  const again = await readNow(deps, trying, { steps: known, commit: input.base, name: 'checkers-base' }, signal)
  const still = suspected.filter(({ step, from }) => again[step]?.includes(from))
  return { checkers, checked: now, found: await told(deps, trying, still) }
}

const loading = /\b(?:import|require|include|load)\b|\bfrom\s*["']|^.\s*(?:pub\s+)?(?:use|mod|using|from|source|\.)\s/

/**
 * A change that touches no loading line leaves the list of files unchanged, unless the file decides
 * about the step.
 */
async function mayLeaveOut(deps: VariantDeps, { base, change, files, kindOf }: Trying): Promise<boolean> {
  for (const file of files.slice(0, limits.gate.files)) {
    const { path, status } = file
    if (kindOf(path) === 'other' && isForPeople(path) && !/(?:^|\/)\.[^/]+$/.test(path)) continue
    if (status !== 'modified' || !isProgram(path) || kindOf(path) === 'config') return true
    const diff = await diffOf(deps, { base, change, file })
    if (diff.split('\n').some((line) => /^[-+](?![-+]{2} )/.test(line) && loading.test(line))) return true
  }
  return files.length > limits.gate.files
}

async function readNow(
  deps: VariantDeps,
  { input, folder }: Trying,
  { steps, commit, name }: { readonly steps: readonly string[]; readonly commit: string; readonly name: string },
  signal: AbortSignal,
): Promise<CheckedFiles> {
  const { config } = input
  const tracing = createTracing(config, await deps.sandbox.whyNotTraced({ remembered: true }))
  // Under an overlay a step may read files that earlier steps have built.
  const last = config.steps.findLastIndex((step) => steps.includes(step.name))
  const isBuilding = mayWrite(config)
  const own = config.steps.slice(0, last + 1).filter((step) => isBuilding || steps.includes(step.name))
  const asked = { input: { ...input, commit, config: { ...config, steps: own } }, folder, name, tracing }
  const { found } = await runOn(deps, asked, signal)
  return checkedFiles(tracing, found)
}

/** Added files that were made from files of the base commit; git detects only some of them. */
async function takenCode(
  deps: VariantDeps,
  { base, change, files }: Trying,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const some = files.slice(0, limits.gate.files).filter(({ path }) => isCheckable(path))
  const textsOf = async (own: readonly ChangedFile[], sha: string) => {
    const found = await Promise.all(
      own.map(async ({ path }) => ({ path, text: (await textAt(deps, { sha, path }, signal)) ?? '' })),
    )
    return found.filter(({ text }) => text !== '')
  }
  const added = await textsOf(
    some.filter(({ status }) => status === 'added'),
    change.commit,
  )
  if (added.length === 0) return new Map()
  const deleted = await textsOf(
    some.filter(({ status }) => status === 'deleted'),
    base.commit,
  )
  const modified = some.filter(({ status }) => status === 'modified')
  const shortened = await Promise.all(
    modified.map(async (file) => {
      const lines = (await diffOf(deps, { base, change, file })).split('\n')
      return {
        path: file.path,
        text: lines.flatMap((line) => (/^-(?!-- )/.test(line) ? [line.slice(1)] : [])).join('\n'),
      }
    }),
  )
  return new Map(
    added.flatMap((each) => {
      const from = sourceOf(each, { deleted, shortened })
      return from === null ? [] : [[each.path, from] as const]
    }),
  )
}

/** An unchanged file that nothing loads any more is no longer in use. */
async function withoutOrphans(
  deps: VariantDeps,
  { base, change, files }: Trying,
  unread: readonly UnreadFile[],
  signal: AbortSignal,
): Promise<readonly UnreadFile[]> {
  if (unread.length === 0) return unread
  const touched = new Set(files.map(({ path }) => path))
  const [before, now] = await Promise.all([base, change].map(({ commit }) => usesOfTree(deps, commit, signal)))
  const isLoaded = (uses: typeof before, path: string) =>
    uses === null || uses === undefined || [...uses.graph.loads.values()].some((loads) => loads.has(path))
  return unread.filter(({ path }) => touched.has(path) || !isLoaded(before, path) || isLoaded(now, path))
}

/** Too many files are reported together, once for each step. */
async function told(deps: VariantDeps, trying: Trying, unread: readonly UnreadFile[]): Promise<readonly Suspicion[]> {
  const isFew = unread.length <= limits.gate.listed
  const groups = Map.groupBy(unread, ({ step, path }) => (isFew ? path : step))
  const found: Suspicion[] = []
  for (const all of groups.values()) {
    const [{ path, from } = { path: '', from: '' }] = all
    const names = [...new Set(all.map(({ step }) => step))]
    const steps = `${names.length === 1 ? 'the step' : 'the steps'} ${names.join(', ')}`
    const what = isFew ? path : `${all.length} files`
    const was = !isFew ? 'them' : path === from ? 'it' : from
    const isOne = isFew ? 'is' : 'are'
    found.push({
      kind: 'suppressed',
      file: isFew ? path : '',
      claim: `${what} ${isOne} no longer read by ${steps}, which read ${was} on the base commit. Keep ${isFew ? 'it' : 'them'} where ${names.length === 1 ? 'the step looks' : 'the steps look'}.`,
      evidence: `${listed(all.map((each) => `${each.step}: ${each.path === each.from ? each.path : `${each.from}, now ${each.path}`}`))}\nlogs/checkers.log of ${trying.input.runId}`,
      identity: [...all.flatMap((each) => [each.step, each.from, each.path]), ...(await contentsOf(deps, trying))],
    })
  }
  return found
}
