import { limits } from '../../domain/limits.ts'
import { failingIn } from '../../domain/verification/reruns.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import type { RunFolder } from '../../ports/artifacts.ts'
import type { RunTreeDeps } from '../run-tree.ts'
import { runOn, type TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'

/** The tests of a change that both failed and passed without a difference between the two runs. */
export interface FlakyTests {
  readonly ids: readonly string[]
  /**
   * The given tests that are flaky with the change and also on its base commit, which takes a run
   * of its steps. A change that makes a test flaky is not excused by its flakiness.
   */
  onBase(own: Own, ids: readonly string[]): Promise<ReadonlySet<string>>
}

interface Own {
  readonly input: VerifyInput
  readonly folder: RunFolder
}

export const noFlakyTests: FlakyTests = { ids: [], onBase: async () => new Set() }

/** Creates the list of a change's flaky tests. The base commit runs only on demand. */
export function flakyTests(
  deps: RunTreeDeps,
  { ids, base }: { readonly ids: readonly string[]; readonly base: TreeTests },
  signal: AbortSignal,
): FlakyTests {
  const before = [base]
  const known = new Set<string>()
  let asked: Promise<unknown> = Promise.resolve()
  const look = async ({ input, folder }: Own, wanted: readonly string[]) => {
    const isOpen = (id: string) => !known.has(id) && isOfTree(base, id)
    for (let i = before.length; i <= limits.assurance.flakyRuns && wanted.some(isOpen); i += 1) {
      const { found } = await runOn(
        deps,
        {
          input: { ...input, commit: base.commit, config: untilNamed(input, base, wanted) },
          folder,
          name: i === 1 ? 'base-again' : `base-again-${i}`,
          // A failing step runs once more, as it does with the change.
          failingOnBase: async () => new Set(),
        },
        signal,
      )
      before.push({ ...base, tests: Object.fromEntries(found.tests) })
      for (const id of [...found.flaky, ...withBothOutcomes(before)]) known.add(id)
    }
  }
  return {
    ids,
    async onBase(own, some) {
      const wanted = some.filter((id) => ids.includes(id))
      if (wanted.length === 0) return new Set()
      // Two lanes may ask at once.
      const looked = asked.then(() => look(own, wanted))
      asked = looked.catch(() => undefined)
      await looked
      return new Set(wanted.filter((id) => known.has(id)))
    },
  }
}

function isOfTree({ tests }: TreeTests, wanted: string): boolean {
  return Object.values(tests).some((report) => report?.tests.some(({ id }) => id === wanted))
}

function withBothOutcomes(runs: readonly Pick<TreeTests, 'tests'>[]): readonly string[] {
  const reports = runs.flatMap(({ tests }) => Object.values(tests))
  const passed = new Set(reports.flatMap(passedIds))
  return reports.flatMap(failingIn).filter((id) => passed.has(id))
}

/** The steps up to the last one that names one of the tests: an earlier step may build them. */
function untilNamed({ config }: VerifyInput, { tests }: TreeTests, ids: readonly string[]): VerifyInput['config'] {
  const names = (step: string) => tests[step]?.tests.some(({ id }) => ids.includes(id)) === true
  return { ...config, steps: config.steps.slice(0, config.steps.findLastIndex(({ name }) => names(name)) + 1) }
}
