import type { TestReport } from '../../verification/test-results.ts'

/** One step with canaries, and without. */
export interface Beside {
  readonly before: TestReport | null
  readonly now: TestReport | null
  /** Of the canaries in it. */
  readonly tokens: readonly string[]
}

/**
 * Ids of tests that passed without the canaries and do not pass beside them. Only a runner that
 * names each test, has run to its end and named each canary as failed tells that. One that may
 * have ended with the first failure says nothing of what it does not name: cargo does so, and
 * whoever was not seen to go on after a failure.
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
