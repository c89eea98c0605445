import type { Acceptance, AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import { failingIn } from '../../domain/verification/reruns.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import { canarySeed } from '../assurance/canary-seed.ts'
import type { GateDependencies } from '../dependencies.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { acceptanceFacts } from './acceptance-facts.ts'
import { contentsOf, hears, type Laying, reportsOf, runLaid, withCanaries } from './laid-tests.ts'

interface Trying {
  readonly input: VerifyInput
  readonly tests: AcceptanceTests
  /** The green steps of the change. */
  readonly change: TreeTests
  /** Ids of tests that fail on the base commit. */
  readonly failingOnBase: () => Promise<ReadonlySet<string>>
  /** Returns the results of the steps on the base commit. */
  readonly base: () => Promise<TreeTests>
}

/**
 * Runs the steps once more with the acceptance tests over the change, and again with a canary at
 * the end of each of their files, which shows that each file ran to its end and can fail. The
 * output is discarded: only the result is kept.
 */
export async function tryAcceptance(deps: GateDependencies, trying: Trying, signal: AbortSignal): Promise<Acceptance> {
  const { input, tests, change } = trying
  const facts = acceptanceFacts(tests)
  const seed = await canarySeed(deps, change.tree)
  const { files, tokens } = withCanaries(tests, seed)
  const run = (name: string, { files, commit }: Pick<Laying, 'files' | 'commit'>) => {
    const failingOnBase = commit === input.commit ? trying.failingOnBase : null
    return runLaid(deps, { input, before: change, failingOnBase, name, files, commit }, signal)
  }
  const plain = await run('acceptance', { files: contentsOf(tests.files), commit: input.commit })
  if (plain.status === 'FAIL') return { ...facts, status: 'not_met' }
  const heard = tokens.length === 0 ? null : await run('acceptance-canaries', { files, commit: input.commit })
  const isHeard = heard === null ? namesMore(change, plain) : tokens.every((token) => hears(heard, token))
  if (isHeard) return { ...facts, status: 'met' }
  if (
    change.tree !== (await deps.history.tree(input.base)) &&
    (await runsOnBase(trying, () => run('acceptance-base', { files, commit: input.base })))
  )
    return { ...facts, status: 'not_met' }
  return { ...facts, status: 'not_run', reason: 'no step runs them, or tells that it did' }
}

/** True if tests passed that do not run without the acceptance tests. */
function namesMore(before: TreeTests, now: TreeTests): boolean {
  const known = new Set(reportsOf(before).flatMap(({ tests }) => tests.map(({ id }) => id)))
  return reportsOf(now).some((report) => passedIds(report).some((id) => !known.has(id)))
}

/**
 * True if the steps run the acceptance tests on the base commit, so that it is the change that
 * keeps them from running.
 */
async function runsOnBase({ base }: Trying, run: () => Promise<TreeTests>): Promise<boolean> {
  const before = await base()
  const known = new Set(reportsOf(before).flatMap((report) => failingIn(report)))
  const laid = await run()
  const isRedder = before.status === 'PASS' && laid.status === 'FAIL'
  return isRedder || reportsOf(laid).some((report) => failingIn(report).some((id) => !known.has(id)))
}
