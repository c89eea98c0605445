import type { Acceptance } from '../../domain/acceptance/acceptance-tests.ts'
import { notMetWords } from '../../domain/acceptance/acceptance-words.ts'
import type { GateDependencies } from '../dependencies.ts'
import type { Write } from '../run-step.ts'
import type { Ended } from '../run-steps.ts'
import type { Found } from '../run-tree.ts'
import { type TreeTests, treeTests } from '../tests-of-tree.ts'
import type { VerifyInput } from '../verification-place.ts'
import { tryAcceptance } from './try-acceptance.ts'

interface Judging {
  readonly input: VerifyInput
  readonly tree: string
  /** The green steps. */
  readonly found: Found
  readonly write: Write
  readonly base: () => Promise<TreeTests>
  readonly failingOnBase: () => Promise<ReadonlySet<string>>
}

/**
 * Runs the tests that no editor sees, last of all, on a whole change or what became of it. Tests
 * that no step runs say nothing about a change: the person who supplied them has to mend that.
 */
export async function judgeAcceptance(
  deps: GateDependencies,
  { input, tree, found, write, base, failingOnBase }: Judging,
  signal: AbortSignal,
): Promise<{ readonly acceptance: Acceptance | null; readonly ended: Ended }> {
  const { acceptance: tests = null, purpose, commit } = input
  if (tests === null || purpose === 'slice') return { acceptance: null, ended: { status: 'PASS' } }
  const change = treeTests({ commit, tree, status: 'PASS', found })
  const acceptance = await tryAcceptance(deps, { input, tests, change, failingOnBase, base }, signal)
  switch (acceptance.status) {
    case 'met':
      return { acceptance, ended: { status: 'PASS' } }
    case 'not_met':
      write(Buffer.from(`\n[drydock] ${notMetWords}\n`))
      return { acceptance, ended: { status: 'FAIL' } }
    case 'not_run': {
      const errorMessage = `The acceptance tests were not run: ${acceptance.reason}.`
      return { acceptance, ended: { status: 'INFRA_ERROR', infra: { errorType: 'acceptance_not_run', errorMessage } } }
    }
    default:
      throw new Error(`unknown result ${acceptance.status satisfies never}`)
  }
}
