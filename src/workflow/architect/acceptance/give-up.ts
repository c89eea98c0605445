import type { Lane } from '../../../domain/lane/lane.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import type { Decision } from '../../lane/decision.ts'
import { load } from '../../machines.ts'
import { settled } from './settle-criteria.ts'
import { testsOf } from './story-tests.ts'

/**
 * Stops waiting for a lane that writes or reads tests, because it was stopped or its model failed.
 * Tests that held at the last try count; every other criterion stays untested.
 */
export async function giveUp(
  deps: Pick<WorkflowDependencies, 'store'>,
  { data: { parent } }: Lane,
  why: string,
): Promise<Decision> {
  const acceptance = await load(deps.store, 'acceptance', parent)
  const tests = await testsOf(deps, acceptance)
  const isTried = acceptance.state === 'WRITING' && acceptance.data.returns > 0
  const given = isTried ? tests : { ...tests, criteria: [] }
  const { criteria, digest } = settled(acceptance.data, given)
  const told = criteria.map((each) => (each.state === 'untested' && !isTried ? { ...each, why } : each))
  return [{ type: 'move_acceptance', acceptance, event: 'ready', data: { criteria: told, digest }, tests: given }]
}
