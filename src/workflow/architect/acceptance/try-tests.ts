import type { Acceptance, AcceptanceData } from '../../../domain/acceptance/acceptance.ts'
import type { CriterionProblem, WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import { limits } from '../../../domain/limits.ts'
import { beganWith, gateConfigOf } from '../../../domain/run/run.ts'
import { verificationId } from '../../../domain/verification/verification.ts'
import { acceptanceFacts } from '../../../gate/acceptance/acceptance-facts.ts'
import { tryOnBase } from '../../../gate/acceptance/try-on-base.ts'
import type { GateDependencies } from '../../../gate/dependencies.ts'
import type { Commit } from '../../../ports/engine.ts'
import { applyDecision } from '../../lane/apply-decision.ts'
import type { DecisionDependencies } from '../../lane/dependencies.ts'
import { load, runOf } from '../../machines.ts'
import type { StepDependencies } from '../../step-dependencies.ts'
import { returnedTests } from '../prompts/acceptance.ts'
import type { AcceptanceMove } from './move-acceptance.ts'
import { testsOf } from './story-tests.ts'

/**
 * TRYING: runs the tests on the base with their stub. What does not hold there goes back to its
 * author, twice at most; then its criterion stays untested.
 */
export async function tryTests(
  deps: StepDependencies & GateDependencies & DecisionDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const acceptance = await load(deps.store, 'acceptance', id)
  const run = await runOf(deps.store, acceptance)
  const config = gateConfigOf(run)
  if (config === null) throw new Error(`run ${run.id} has not started`)
  const tests = await testsOf(deps, acceptance)
  const at = deps.clock.now()
  const { base } = acceptance.data
  const found = await tryOnBase(
    deps,
    {
      ...{ tests, base, config, isFromStart: beganWith(run, base), checkout: `acceptance-${acceptance.story}` },
      ...{ runId: verificationId(at, deps.clock.random()), at: at.toISOString() },
    },
    signal,
  )
  const move = moveAfter(acceptance, { ...tests, problems: [...tests.problems, ...found] })
  await commit((tx) => applyDecision(tx, deps, [{ type: 'move_acceptance', acceptance, ...move }]))
}

/** The move of tests that were tried, with all that does not hold in `problems`. */
function moveAfter(acceptance: Acceptance, tests: WrittenTests): Omit<AcceptanceMove, 'acceptance'> {
  const { returns, isMended = false } = acceptance.data
  const left = limits.writtenTests.returns - returns
  const data = { ...settled(acceptance.data, tests), isMended: false }
  if (tests.problems.length === 0 || left <= 0 || isMended) return { event: 'ready', data, tests }
  const told = returnedTests(tests.problems, left - 1)
  return { event: 'returned', data: { ...data, digest: null, returns: returns + 1 }, tests, told }
}

/** The criteria with what has become of their tests. */
export function settled(
  { criteria }: Pick<AcceptanceData, 'criteria'>,
  tests: WrittenTests,
): Pick<AcceptanceData, 'criteria' | 'digest'> {
  const wrong = new Set(tests.problems.map(({ id }) => id))
  const kept = new Set(tests.criteria.map(({ id }) => id).filter((id) => !wrong.has(id)))
  const after = criteria.map((each) => (kept.has(each.id) ? asTested(each) : asUntested(each, tests.problems)))
  return { criteria: after, digest: kept.size === 0 ? null : acceptanceFacts(tests).digest }
}

function asTested({ why: _, ...criterion }: Criterion): Criterion {
  return { ...criterion, state: 'tested' }
}

function asUntested({ behaviour: _, ...criterion }: Criterion, problems: readonly CriterionProblem[]): Criterion {
  const own = problems.filter(({ id }) => id === criterion.id)
  if (criterion.state === 'dropped' || (own.length === 0 && criterion.why !== undefined)) return criterion
  return { ...criterion, state: 'untested', why: own.length > 0 ? 'its tests did not hold' : 'it has no test' }
}
