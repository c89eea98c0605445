import type { TestReportFormat } from '../../domain/verification/test-results.ts'
import type { ReadLines } from './found-tests.ts'

/** Of runners whose usual reporter cannot be read test by test: at its end it says how many ran. */
function countsAtEnd(
  format: TestReportFormat,
  parts: Readonly<Record<'passed' | 'failed' | 'skipped', RegExp>>,
): ReadLines {
  return (lines) => {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    let known = false
    for (const line of lines) {
      if (!/^ {2,}\d/.test(line)) continue
      for (const what of ['passed', 'failed', 'skipped'] as const) {
        const said = parts[what].exec(line)?.[1]
        if (said === undefined) continue
        counts[what] += Number(said)
        known ||= what !== 'skipped'
      }
    }
    return known ? { format, tests: [], complete: false, counts } : null
  }
}

/** `  12 passing (30ms)`, `  1 pending`, `  2 failing`. */
export const readMocha = countsAtEnd('mocha', {
  passed: /^ {2}(\d{1,9}) passing \(\d+(?:ms|s|m)\)$/,
  failed: /^ {2}(\d{1,9}) failing$/,
  skipped: /^ {2}(\d{1,9}) pending$/,
})

/** `  12 tests passed`, `  1 test failed`, `  1 test skipped`. */
export const readAva = countsAtEnd('ava', {
  passed: /^ {2}(\d{1,9}) tests? passed$/,
  failed: /^ {2}(\d{1,9}) (?:tests? failed|uncaught exceptions?|unhandled rejections?)$/,
  skipped: /^ {2}(\d{1,9}) tests? (?:skipped|todo)$/,
})
