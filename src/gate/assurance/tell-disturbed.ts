import { disturbedTests } from '../../domain/gate/canaries/disturbed-tests.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { passedIds, type TestReport } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, contentsOf } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { PlantedCanary } from './listen.ts'
import type { SpoiledFile } from './spoiled-file.ts'
import { spoiledBehind } from './spoiled-outcomes.ts'
import type { Trying } from './trying.ts'

interface Disturbing {
  readonly trying: Trying
  readonly planted: readonly PlantedCanary[]
  readonly spoiled: readonly SpoiledFile[]
  /** The run with all canaries. */
  readonly first: TreeTests
  /** Runs the steps with only those canaries that the base commit can have, too. */
  readonly run: (asked: {
    readonly name: string
    readonly planted: readonly PlantedCanary[]
    readonly ofBase: boolean
  }) => Promise<TreeTests>
}

/**
 * Reports a failing test that changes the results of other tests, which it must not do. The change
 * is reported only if that happens twice, and not on the base commit: some repositories count their
 * tests, or end with a failure.
 */
export async function tellDisturbed(
  deps: ComparingDeps,
  { trying, planted, spoiled, first, run }: Disturbing,
): Promise<readonly Suspicion[]> {
  const { base, change, files, flaky, input } = trying
  const old = planted.filter(({ before }) => before !== null)
  const disturbedIn = (ran: TreeTests, by: readonly PlantedCanary[], plain: TreeTests) =>
    new Set(
      Object.keys(plain.tests).flatMap((step) => {
        const tokens = by.flatMap(({ steps, token }) => (steps.includes(step) ? [token] : []))
        return disturbedTests({ before: plain.tests[step] ?? null, now: ran.tests[step] ?? null, tokens })
      }),
    )
  const passedOnBase = new Set(Object.values(base.tests).flatMap(passedIds))
  // The base commit says nothing about tests that it does not have.
  const isTold = (id: string) => passedOnBase.has(id)
  const isAsItMust = failsAsItMust(spoiled, first, change)
  const suspects = [...disturbedIn(first, planted, change)].filter((id) => isTold(id) && !isAsItMust(id))
  if (old.length === 0 || suspects.length === 0) return []
  const second = await run({ name: 'canaries-beside', planted: old, ofBase: false })
  const twice = [...disturbedIn(second, old, change)].filter(isTold)
  if (twice.length === 0) return []
  const control = await run({ name: 'canaries-beside-base', planted: old, ofBase: true })
  const unharmed = new Set(Object.values(control.tests).flatMap(passedIds))
  const harmed = twice.filter((id) => unharmed.has(id))
  const excused = await flaky.onBase(trying, harmed)
  const ids = harmed.filter((id) => !excused.has(id))
  if (ids.length === 0) return []
  const count = ids.length === 1 ? 'A test does' : `${ids.length} tests do`
  return [
    {
      kind: 'results_disturbed',
      file: '',
      claim: `${count} not pass when another test fails: with the base commit the same failure leaves ${ids.length === 1 ? 'it' : 'them'} alone.`,
      evidence: `${listed(ids)}\nlogs/canaries-beside.log of ${input.runId}`,
      identity: [...ids.toSorted(), ...(await contentsOf(deps, { base, change, files }))],
    },
  ]
}

/**
 * Tells by a test's id if the test failed only for its spoiled expectation. An honest failure names
 * the new expected value and also the old one, which is the actual value.
 */
function failsAsItMust(
  spoiled: readonly SpoiledFile[],
  { tests }: TreeTests,
  change: TreeTests,
): (id: string) => boolean {
  const failures = new Map(
    Object.values(tests).flatMap((report) => report?.tests.map(({ id, failure = '' }) => [id, failure] as const) ?? []),
  )
  const idsOf = (report: TestReport | null) => report?.tests.map(({ id }) => id) ?? []
  const behind = spoiledBehind(spoiled, [...Object.values(change.tests).flatMap(idsOf), ...failures.keys()])
  return (id) => {
    const test = behind(id)
    const failure = failures.get(id)
    if (test === undefined || failure === undefined) return test !== undefined
    const bare = (literal: string) => literal.replaceAll(/^["'`]|["'`]$/g, '')
    const [was, made] = [bare(test.was), bare(test.made)]
    return !/^[\w .-]{1,40}$/.test(was) || !failure.includes(made) || failure.includes(was)
  }
}
