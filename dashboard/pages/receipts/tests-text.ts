import { plural } from '../../figures-text.ts'

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The number of tests in words; an uncounted number is not guessed. */
export function testsText(tests: Counts | null): string {
  if (tests === null) return 'The number of tests was not in the output.'
  const { passed, failed, skipped } = tests
  const others = [failed > 0 ? `${failed} failed` : null, skipped > 0 ? `${skipped} skipped` : null]
  const more = others.filter((each) => each !== null)
  if (passed + failed === 0) return ['0 tests ran', ...more].join(', ')
  return [`${plural(passed, 'test')} passed`, ...more].join(', ')
}
