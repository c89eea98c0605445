import { failingIn } from '../../verification/reruns.ts'
import type { TestReport } from '../../verification/test-results.ts'

/** A step that ran with canaries, and its result without them. */
export interface Hearing {
  readonly exitCode: number | null
  readonly report: TestReport | null
  /** The report without canaries. */
  readonly before: TestReport
  readonly tokens: readonly string[]
}

/**
 * `heard`: each canary that ran has failed, and so has the step. `passed`: one that asserts
 * something false has passed. `silent`: the step is green, and none has failed. `masked`: they have
 * failed, and the exit code is 0. `unrun`: the step failed, and none of them ran.
 */
export interface CanaryResult {
  readonly how: 'heard' | 'passed' | 'silent' | 'masked' | 'unrun'
  /** Tokens of the canaries that have not failed. */
  readonly unheard: readonly string[]
  /** Tests that passed without the canaries and are not named now. */
  readonly lost: readonly string[]
  /** True if the runner has named every test that it ran. */
  readonly isComplete: boolean
  /** True if no test is named as failed, whatever the step's exit code is. */
  readonly isUnnamed: boolean
}

export function hearCanaries({ exitCode, report, before, tokens }: Hearing): CanaryResult {
  const outcome = (token: string) => {
    const own = report?.tests.filter(({ id }) => id.includes(token)) ?? []
    if (own.some((test) => test.outcome === 'passed')) return 'passed'
    return own.some((test) => test.outcome === 'failed') ? 'failed' : 'missing'
  }
  const outcomes = tokens.map(outcome)
  const named = new Set(report?.tests.map(({ id }) => id))
  const lost = before.tests.flatMap(({ id, outcome }) => (outcome === 'passed' && !named.has(id) ? [id] : []))
  const unheard = tokens.filter((_, i) => outcomes[i] !== 'failed')
  const isRed = exitCode !== 0 || failingIn(report).length > 0
  const isComplete = report?.complete === true
  const isUnnamed = failingIn(report).length === 0
  const found = (how: CanaryResult['how']): CanaryResult => ({ how, unheard, lost, isComplete, isUnnamed })
  if (outcomes.includes('passed')) return found('passed')
  if (!isRed) return found('silent')
  if (!outcomes.includes('failed')) return found('unrun')
  return found(exitCode === 0 ? 'masked' : 'heard')
}
