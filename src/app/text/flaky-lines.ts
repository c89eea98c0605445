import type { FlakyTest } from '../../domain/verification/verification.ts'

/**
 * The flaky tests that a Run met, one line each, with the number of times this repository has seen
 * them.
 */
export function flakyLines(all: readonly FlakyTest[], run: string): readonly string[] {
  const met = new Set(all.filter((each) => each.run === run).map(({ test }) => test))
  return [...met].map((test) => {
    const times = all.filter((each) => each.test === test)
    const last = times.findLast((each) => each.run === run)
    const where = `last in ${last?.runId}${last?.story ? ` of ${last.story}` : ''}`
    const first = times[0]?.finishedAt.slice(0, 10)
    return `${test}: ${times.length === 1 ? 'once' : `${times.length} times since ${first}`}, ${where}`
  })
}
