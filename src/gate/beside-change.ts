import type { RunFolder } from '../ports/artifacts.ts'
import { noFlakyTests } from './assurance/flaky-tests.ts'
import { checkoutOfLane } from './assurance/side-by-side.ts'
import { startHybrid } from './assurance/try-hybrid.ts'
import type { GateDependencies } from './dependencies.ts'
import { kindsOf } from './modules/kinds-of.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/** The second lane of a verification while the steps of the change run in the first. */
export interface BesideChange {
  /** The tests of the base commit, run when they are asked for first. */
  base(): Promise<TreeTests>
  /** Resolves when nothing runs in the lane. Nothing more is started. */
  free(): Promise<void>
  /** Ends what still runs, and resolves when it is gone. */
  end(): Promise<void>
}

interface Asked {
  readonly input: VerifyInput
  readonly tree: string
  readonly folder: RunFolder
  /** Whether a green change will be compared with its base commit. */
  readonly isCompared: boolean
}

/**
 * Opens the lane. Where two trees may run at once the base commit's steps start at once, and behind
 * them the old tests on the new sources, so that both are known when the change is green.
 */
export function openBesideChange(
  deps: GateDependencies,
  { input, tree, folder, isCompared }: Asked,
  signal: AbortSignal,
): BesideChange {
  const own = { ...input, checkout: checkoutOfLane(input.checkout, 1) }
  const ending = new AbortController()
  const either = AbortSignal.any([signal, ending.signal])
  let asked: Promise<TreeTests> | null = null
  let isFree = false
  const base = () => {
    asked ??= deps.testsOfTrees.of({ deps, input: own, folder }, either)
    return asked
  }
  const start = async () => {
    const before = await base()
    if (!isFree) await startOldTests(deps, { input: own, tree, folder, base: before }, either)
  }
  // The same obstacle meets the one who asks for the results.
  const started = isCompared && deps.testsOfTrees.atOnce > 1 ? start().catch(() => undefined) : Promise.resolve()
  return {
    base,
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

interface Starting extends Omit<Asked, 'isCompared'> {
  readonly base: TreeTests
}

async function startOldTests(
  deps: GateDependencies,
  { input, tree, folder, base }: Starting,
  signal: AbortSignal,
): Promise<void> {
  const { config, commit } = input
  if (config.assurance === 'fast') return
  const files = await deps.history.changedFiles(input.base, commit)
  // Most changes leave the outcomes of the old tests as they are.
  const change = { ...base, commit, tree }
  const kinds = await kindsOf(deps, { base, change, config, files }, signal)
  await startHybrid(deps, { ...kinds, input, folder, base, change, files, flaky: noFlakyTests }, signal)
}
