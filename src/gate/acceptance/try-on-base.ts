import type { CriterionProblem, CriterionTests, WrittenTests } from '../../domain/acceptance/acceptance-tests.ts'
import { limits } from '../../domain/limits.ts'
import { canarySeed } from '../assurance/canary-seed.ts'
import type { GateDependencies } from '../dependencies.ts'
import { createOutputTail } from '../output-tail.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { contentsOf, hears, namedIn, outcomeOf, runLaid, withCanaries } from './laid-tests.ts'

type Trying = Pick<VerifyInput, 'runId' | 'base' | 'config' | 'isFromStart' | 'checkout' | 'at'> & {
  readonly tests: WrittenTests
}

/**
 * Runs an architect's tests on the base, with their stub: each must be named, tests of new
 * behaviour must fail by an assertion or by the stub, and those of old behaviour must pass. Returns
 * the problems. Rejects with InfraFailure when the steps could not run.
 */
export async function tryOnBase(
  deps: GateDependencies,
  { tests, ...given }: Trying,
  signal: AbortSignal,
): Promise<readonly CriterionProblem[]> {
  if (tests.criteria.length === 0) return []
  const more = { commit: given.base, purpose: 'alone', refactor: false, onPrepare: async () => undefined } as const
  const input: VerifyInput = { ...given, ...more }
  const folder = await deps.artifacts.openRun(input.runId, { ofBase: true })
  try {
    const before = await deps.testsOfTrees.of({ deps, input, folder }, signal)
    const { files, tokens } = withCanaries(tests, await canarySeed(deps, before.tree))
    const laid = new Map([...contentsOf(tests.stub), ...files])
    const output = createOutputTail(limits.tailBytes, limits.writtenTests.tailLines)
    const own = { input, before, failingOnBase: null, name: 'acceptance', files: laid, commit: input.base, output }
    const ran = await runLaid(deps, own, signal)
    const isHeard = tokens.every((token) => hears(ran, token))
    const taken = tests.criteria.flatMap(({ tests: names }) => names.filter((name) => outcomeOf(before, name) !== null))
    return tests.criteria.flatMap((each) => {
      const problem = problemOf(each, { ran, isHeard, taken, said: output.text() })
      return problem === null ? [] : [{ id: each.id, problem }]
    })
  } finally {
    await folder.discard()
  }
}

interface Ran {
  readonly ran: TreeTests
  /** True if a failing test at the end of each file was reported. */
  readonly isHeard: boolean
  /** Names that the repository's tests already have. */
  readonly taken: readonly string[]
  readonly said: string
}

function problemOf({ tests, behaviour }: CriterionTests, { ran, isHeard, taken, said }: Ran): string | null {
  for (const name of tests) {
    const shown = JSON.stringify(name)
    if (taken.includes(name)) return `a test of the repository is called ${shown} already`
    const outcome = outcomeOf(ran, name)
    if (outcome === null) return `${shown} did not run, or its runner did not name it. The end of the output:\n${said}`
    if (outcome === 'skipped') return `${shown} was skipped`
    const why = outcome === 'failed' && behaviour === 'new' ? otherwise(ran, name) : null
    if (why !== null) return `${shown} fails neither by an assertion nor because the stub says "not built yet": ${why}`
    if (behaviour === 'old' && outcome === 'failed') return `${shown} is of old behaviour, and fails on the base`
    if (behaviour === 'new' && outcome === 'passed') return `${shown} is of new behaviour, and passes on the base`
  }
  if (!isHeard) return 'one of the files does not run to its end, or cannot fail'
  return null
}

/**
 * Errors of a broken test. With its stub a test has everything that it calls, so a sound one fails
 * by an assertion, or because the stub throws.
 */
const broken =
  /\b(?:Reference|Syntax|Type|Name|Attribute|Import|ModuleNotFound)Error\b|is not (?:defined|a function)|cannot find/i

/** The error of a test that failed because it is broken; null for any other failure. */
function otherwise(ran: TreeTests, name: string): string | null {
  const said = namedIn(ran, name).flatMap(({ outcome, failure }) => (outcome === 'failed' ? (failure ?? []) : []))
  return said.find((text) => broken.test(text) && !/not built yet/i.test(text)) ?? null
}
