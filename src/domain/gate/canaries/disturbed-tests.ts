import type { TestReport } from '../../verification/test-results.ts'

/** The reports of one step without and with canaries. */
export interface Beside {
  readonly before: TestReport | null
  readonly now: TestReport | null
  /** Tokens of the canaries in the step. */
  readonly tokens: readonly string[]
}

/**
 * Ids of tests that passed without the canaries and do not pass beside them. A runner shows this
 * only if it names each test, ran to its end and named each canary as failed. A runner that may
 * have stopped at the first failure shows nothing about tests that it does not name: cargo does so,
 * and so may a runner that was not seen to continue after a failure.
 */
export function disturbedTests({ before, now, tokens }: Beside): readonly string[] {
  if (!before?.complete || !now?.complete || tokens.length === 0) return []
  const isHeard = (token: string) => now.tests.some(({ id, outcome }) => outcome === 'failed' && id.includes(token))
  if (!tokens.every(isHeard)) return []
  const goesOn = tokens.length > 1 && now.format !== 'cargo'
  const outcomes = new Map(now.tests.map(({ id, outcome }) => [id, outcome]))
  return before.tests.flatMap(({ id, outcome }) => {
    const is = outcomes.get(id)
    return outcome === 'passed' && (is === 'failed' || (goesOn && is !== 'passed')) ? [id] : []
  })
}
