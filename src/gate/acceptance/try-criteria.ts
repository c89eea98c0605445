import type { CriterionResult, CriterionTests, StoryTests } from '../../domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../domain/acceptance/criteria.ts'
import type { GateFinding } from '../../domain/gate/gate-finding.ts'
import { canarySeed } from '../assurance/canary-seed.ts'
import type { GateDependencies } from '../dependencies.ts'
import { withId } from '../findings/gate-findings.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { hears, outcomeOf, runLaid, withCanaries } from './laid-tests.ts'

interface Trying {
  readonly input: VerifyInput
  readonly tests: StoryTests
  /** The green steps of the change. */
  readonly change: TreeTests
}

export interface CriteriaResult {
  readonly results: readonly CriterionResult[]
  /** A finding for each unmet criterion whose tests no person has confirmed. */
  readonly findings: readonly GateFinding[]
  /** Ids of unmet criteria whose tests a person has confirmed. */
  readonly failed: readonly string[]
}

/**
 * Runs the steps once more with the tests of the criteria over the change, and a canary in each of
 * their files. A criterion is met if each of its tests is named and passes, and its files can fail.
 * An unmet criterion is tried a second time. Only the result is kept.
 */
export async function tryCriteria(
  deps: GateDependencies,
  { input, tests: { tests, criteria }, change }: Trying,
  signal: AbortSignal,
): Promise<CriteriaResult> {
  const asked = criteria.filter(({ state }) => state === 'tested')
  const seed = await canarySeed(deps, change.tree)
  const { files, tokens } = withCanaries(tests, seed)
  const { commit } = input
  const met = async (name: string): Promise<ReadonlySet<string>> => {
    const ran = await runLaid(deps, { input, before: change, failingOnBase: null, name, files, commit }, signal)
    return tokens.every((token) => hears(ran, token)) ? new Set(metIn(ran, tests.criteria)) : new Set()
  }
  const first = await met('criteria')
  const isMet = asked.every(({ id }) => first.has(id)) ? first : new Set([...first, ...(await met('criteria-again'))])
  const missed = asked.filter(({ id }) => !isMet.has(id))
  const findings = new Map(missed.flatMap((each) => (each.confirmed ? [] : [[each.id, notMet(each)]])))
  return {
    results: asked.map(({ id }) => {
      const finding = findings.get(id)
      return { id, status: isMet.has(id) ? 'met' : 'not_met', ...(finding && { finding: finding.id }) }
    }),
    findings: [...findings.values()],
    failed: missed.flatMap(({ id, confirmed }) => (confirmed ? [id] : [])),
  }
}

/** Ids of the criteria whose tests have all run and passed. */
function metIn(ran: TreeTests, criteria: readonly CriterionTests[]): readonly string[] {
  return criteria.flatMap(({ id, tests }) =>
    tests.length > 0 && tests.every((name) => outcomeOf(ran, name) === 'passed') ? [id] : [],
  )
}

/** The finding of an unmet criterion; it reveals nothing beyond the story's own text. */
function notMet({ id, text }: Criterion): GateFinding {
  return withId({
    kind: 'acceptance',
    file: '',
    claim: `Acceptance criterion ${id} is not met: ${text}`,
    evidence: 'A test of this criterion that its editor does not see.',
    identity: [id, text],
  })
}
