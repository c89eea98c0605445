import type { RunFolder } from '../ports/artifacts.ts'
import { noFlakyTests } from './assurance/flaky-tests.ts'
import { likelyChange } from './assurance/likely-change.ts'
import { narrowOnce } from './assurance/narrowing.ts'
import { beginProof, type ProofRun } from './assurance/prove-tests.ts'
import { checkoutOfLane } from './assurance/side-by-side.ts'
import { startCanaries } from './assurance/try-canaries.ts'
import { startHybrid } from './assurance/try-hybrid.ts'
import type { Trying } from './assurance/trying.ts'
import type { GateDependencies } from './dependencies.ts'
import { kindsOf } from './modules/kinds-of.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/** The second lane of a verification while the steps of the change run in the first. */
export interface BesideChange {
  /** The tests of the base commit, run on first use. */
  base(): Promise<TreeTests>
  /** The tests of the change on the base's sources, if their run started here; otherwise null. */
  proof(): Promise<ProofRun | null>
  /** Resolves when the lane is idle. Nothing more starts there. */
  free(): Promise<void>
  /** Stops all runs in the lane, and resolves once they have ended. */
  end(): Promise<void>
}

interface BesideChangeInput {
  readonly input: VerifyInput
  readonly tree: string
  readonly folder: RunFolder
  /** True if a green change will be compared with its base commit. */
  readonly isCompared: boolean
  /** The base commit's results, if its steps have run already. */
  readonly knownBefore: TreeTests | null
}

/**
 * Opens the lane. If two trees may run at once, the base commit's steps start at once, followed by
 * the old tests on the new sources, so that both results are ready when the change is green. If few
 * test files are enough for these, the canaries come next; if they are not needed, the proof.
 */
export function openBesideChange(
  deps: GateDependencies,
  { input, tree, folder, isCompared, knownBefore }: BesideChangeInput,
  signal: AbortSignal,
): BesideChange {
  const own = { ...input, checkout: checkoutOfLane(input.checkout, 1) }
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  let asked: Promise<TreeTests> | null = null
  let proof: Promise<ProofRun | null> = Promise.resolve(null)
  let isFree = false
  const base = () => {
    asked ??= deps.testsOfTrees.of({ deps, input: own, folder }, either)
    return asked
  }
  const start = async () => {
    const before = await base()
    if (isFree) return
    const trying = await likelyTrying(deps, { input: own, tree, folder, base: before }, either)
    const asked = { ...trying, narrowed: narrowOnce(deps, trying) }
    const old = input.config.assurance === 'fast' ? null : await startHybrid(deps, asked, either)
    // After a run of the base, a run on few test files may soon be enough.
    if (isFree || knownBefore === null || input.purpose !== 'change') return
    if (old === 'few') {
      const likely = await likelyChange(deps, trying, either)
      if (likely !== null && !isFree) await startCanaries(deps, likely, either)
    }
    if (old !== null) return
    proof = beginProof(deps, trying, either)
    await proof
  }
  // A caller that asks for the results meets the same error.
  const started = isCompared && deps.testsOfTrees.atOnce > 1 ? start().catch(() => undefined) : Promise.resolve()
  return {
    base,
    proof: () => proof,
    async free() {
      isFree = true
      await started
    },
    async end() {
      ending.abort()
      await Promise.all([started, asked?.catch(() => undefined)])
    },
  }
}

interface Starting extends Omit<BesideChangeInput, 'isCompared' | 'knownBefore'> {
  readonly base: TreeTests
}

/** Most changes do not affect the outcomes of the old tests. */
async function likelyTrying(
  deps: GateDependencies,
  { input, tree, folder, base }: Starting,
  signal: AbortSignal,
): Promise<Trying> {
  const { config, commit } = input
  const files = await deps.history.changedFiles(input.base, commit)
  const change = { ...base, commit, tree }
  const kinds = await kindsOf(deps, { base, change, config, files }, signal)
  return { ...kinds, input, folder, base, change, files, flaky: noFlakyTests }
}
