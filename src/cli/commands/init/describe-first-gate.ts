import { formatDuration } from '../../../domain/figures-text.ts'
import type { Result } from '../../../domain/run/result.ts'
import type { Manifest, VerifierResponse } from '../../../domain/verification/verdict.ts'
import { howItEnded, whyFailed } from '../../../domain/verification/why-failed.ts'

/** `empty` means that the gate passed without running a test. */
export type FirstGate = 'green' | 'empty' | 'red' | 'not run'

/**
 * Describes the gate's result in a repository that is being configured. `again` is the command line
 * that repeats it.
 */
export function describeFirstGate(
  { status, answer }: Result,
  again: string,
): { readonly gate: FirstGate; readonly text: string } {
  const response = (answer ?? {}) as Partial<VerifierResponse>
  const { manifest, tail_log: tail } = response
  if (!manifest || (status !== 'PASS' && status !== 'FAIL')) {
    const text = `The gate could not run. See what is missing: drydock doctor   Then try again: ${again}`
    return { gate: 'not run', text }
  }
  const { commands_executed: commands, timestamp_start, timestamp_end } = manifest
  const steps = commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  if (status === 'FAIL') {
    const failed = commands.at(-1)?.name
    const why = whyFailed(response as VerifierResponse)
    const how = howItEnded(manifest)
    const cause = [how, why?.replace(`${how}: `, '')].filter(Boolean).join(': ')
    const text = `The gate is red before any change: ${failed} fails. ${cause}\nThe whole log: drydock log ${manifest.run_id}\nNo task can succeed until it is green. Fix the failure or the configuration, then run: ${again}`
    return { gate: 'red', text }
  }
  if (ranNoTest(manifest, tail ?? '')) {
    const text = `THE GATE PASSES, BUT 0 TESTS RAN: it would let any change through. Correct the command of the step so that it runs your tests (or write a first test), then run: ${again}`
    return { gate: 'empty', text }
  }
  const before = Date.parse(timestamp_end) - Date.parse(timestamp_start) - steps
  const count = commands.length === 1 ? '1 step' : `${commands.length} steps`
  const prepared = manifest.dependencies ? `, after ${seconds(before)} to prepare (kept for later)` : ''
  return { gate: 'green', text: `The gate is green: ${count} in ${seconds(steps)}${prepared}.` }
}

/**
 * True if a runner reported that no test ran: by a list of test names, or by the final sentence of
 * unittest or node.
 */
function ranNoTest({ tests }: Manifest, tail: string): boolean {
  if (tests) return tests.passed + tests.failed === 0
  return /^Ran 0 tests in /m.test(tail) || /^(?:#|\u2139) tests 0$/m.test(tail)
}

function seconds(ms: number): string {
  return formatDuration(ms)
}
