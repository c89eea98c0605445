import type { Acceptance } from '../../domain/acceptance/acceptance-tests.ts'
import { notMetWords } from '../../domain/acceptance/acceptance-words.ts'
import type { GateFinding } from '../../domain/gate/gate-finding.ts'
import type { GateDependencies } from '../dependencies.ts'
import type { Write } from '../run-step.ts'
import type { StepsEnd } from '../run-steps.ts'
import type { TreeResults } from '../run-tree.ts'
import { type TreeTests, treeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { acceptanceFacts } from './acceptance-facts.ts'
import { tryAcceptance } from './try-acceptance.ts'
import { tryCriteria } from './try-criteria.ts'

interface Judging {
  readonly input: VerifyInput
  readonly tree: string
  /** The green steps. */
  readonly found: TreeResults
  readonly write: Write
  readonly base: () => Promise<TreeTests>
  readonly failingOnBase: () => Promise<ReadonlySet<string>>
}

export interface AcceptanceResult {
  readonly acceptance: Acceptance | null
  /** Criteria that the change does not meet. */
  readonly findings: readonly GateFinding[]
  readonly ended: StepsEnd
}

/**
 * Runs the tests that no editor sees, last of all, on a whole change or its merge. Tests that no
 * step runs say nothing about a change: the person who supplied them has to fix that.
 */
export async function judgeAcceptance(
  deps: GateDependencies,
  { input, tree, found, write, base, failingOnBase }: Judging,
  signal: AbortSignal,
): Promise<AcceptanceResult> {
  const { acceptance: supplied = null, criteria = null, purpose, commit } = input
  const change = treeTests({ commit, tree, status: 'PASS', found })
  let acceptance: Acceptance | null = null
  const end = (ended: StepsEnd, findings: readonly GateFinding[] = []): AcceptanceResult => ({
    acceptance,
    findings,
    ended,
  })
  const fail = () => {
    write(Buffer.from(`\n[drydock] ${notMetWords}\n`))
    return end({ status: 'FAIL' })
  }
  if (purpose === 'slice') return end({ status: 'PASS' })
  if (supplied !== null) {
    acceptance = await tryAcceptance(deps, { input, tests: supplied, change, failingOnBase, base }, signal)
    if (acceptance.status === 'not_met') return fail()
    if (acceptance.status === 'not_run') {
      const errorMessage = `The acceptance tests were not run: ${acceptance.reason}.`
      return end({ status: 'INFRA_ERROR', infra: { errorType: 'acceptance_not_run', errorMessage } })
    }
  }
  if (criteria === null) return end({ status: 'PASS' })
  const { results, findings, failed } = await tryCriteria(deps, { input, tests: criteria, change }, signal)
  const files = [...(supplied?.files ?? []), ...criteria.tests.files]
  const isMet = results.every(({ status }) => status === 'met')
  acceptance = { ...acceptanceFacts({ files }), status: isMet ? 'met' : 'not_met', criteria: results }
  return failed.length > 0 ? fail() : end({ status: 'PASS' }, findings)
}
