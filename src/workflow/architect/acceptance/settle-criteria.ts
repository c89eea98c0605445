import type { AcceptanceData } from '../../../domain/acceptance/acceptance.ts'
import type { CriterionProblem, WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import { acceptanceFacts } from '../../../gate/acceptance/acceptance-facts.ts'

/** The criteria, each with the outcome of its tests. */
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

function asUntested(
  { behaviour: _, confirmed: __, ...criterion }: Criterion,
  problems: readonly CriterionProblem[],
): Criterion {
  const own = problems.filter(({ id }) => id === criterion.id)
  if (criterion.state === 'dropped' || (own.length === 0 && criterion.why !== undefined)) return criterion
  return { ...criterion, state: 'untested', why: own.length > 0 ? 'its tests did not hold' : 'it has no test' }
}
