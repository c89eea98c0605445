import type { Acceptance } from '../../../domain/acceptance/acceptance.ts'
import type { WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import { limits } from '../../../domain/limits.ts'
import { beganWith, gateConfigOf } from '../../../domain/run/run.ts'
import { verificationId } from '../../../domain/verification/verification.ts'
import { tryOnBase } from '../../../gate/acceptance/try-on-base.ts'
import type { GateDependencies } from '../../../gate/dependencies.ts'
import type { Commit } from '../../../ports/engine.ts'
import { applyDecision } from '../../lane/apply-decision.ts'
import type { DecisionDependencies } from '../../lane/dependencies.ts'
import { load, runOf } from '../../machines.ts'
import type { StepDependencies } from '../../step-dependencies.ts'
import { returnedTests } from '../prompts/acceptance.ts'
import type { AcceptanceMove } from './move-acceptance.ts'
import { settled } from './settle-criteria.ts'
import { testsOf } from './story-tests.ts'

/**
 * TRYING: runs the tests on the base with their stub. Tests that do not hold there return to their
 * author, twice at most; then their criterion stays untested.
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
      tests,
      base,
      config,
      isFromStart: beganWith(run, base),
      checkout: `acceptance-${acceptance.story}`,
      runId: verificationId(at, deps.clock.random()),
      at: at.toISOString(),
    },
    signal,
  )
  const move = moveAfter(acceptance, { ...tests, problems: [...tests.problems, ...found] })
  await commit((tx) => applyDecision(tx, deps, [{ type: 'move_acceptance', acceptance, ...move }]))
}

/** The transition after a trial, with every failure in `problems`. */
function moveAfter(acceptance: Acceptance, tests: WrittenTests): Omit<AcceptanceMove, 'acceptance'> {
  const { returns, isMended = false } = acceptance.data
  const left = limits.writtenTests.returns - returns
  const data = { ...settled(acceptance.data, tests), isMended: false }
  if (tests.problems.length === 0 || left <= 0 || isMended) return { event: 'ready', data, tests }
  const told = returnedTests(tests.problems, left - 1)
  return { event: 'returned', data: { ...data, digest: null, returns: returns + 1 }, tests, told }
}
