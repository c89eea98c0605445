import type { TestReportFormat, TestRunner } from '../../domain/verification/test-results.ts'
import type { ReadLines } from './found-tests.ts'

interface Totals {
  readonly runner: TestRunner
  readonly format?: TestReportFormat
  /**
   * Groups are named after their counts: `passed`, `failed`, `errors`, `skipped`, and `all` for
   * tests of any outcome.
   */
  readonly lines: readonly RegExp[]
  /** Without one of these counts the lines belong to another program. */
  readonly needsOneOf?: readonly string[]
}

const anyCount = ['passed', 'failed', 'all']

/** Totals of runners whose usual reporter does not name single tests. */
const runners: readonly Totals[] = [
  {
    runner: 'mocha',
    format: 'mocha',
    lines: [
      /^ {2}(?<passed>\d{1,9}) passing \(\d+(?:ms|s|m)\)$/,
      /^ {2}(?<failed>\d{1,9}) failing$/,
      /^ {2}(?<skipped>\d{1,9}) pending$/,
    ],
  },
  {
    runner: 'ava',
    format: 'ava',
    lines: [
      /^ {2}(?<passed>\d{1,9}) tests? passed$/,
      /^ {2}(?<failed>\d{1,9}) (?:tests? failed|uncaught exceptions?|unhandled rejections?)$/,
      /^ {2}(?<skipped>\d{1,9}) tests? (?:skipped|todo)$/,
    ],
  },
  {
    runner: 'uvu',
    lines: [
      /^ {2}Total: {5}(?<all>\d{1,9})$/,
      /^ {2}Passed: {4}(?<passed>\d{1,9})$/,
      /^ {2}Skipped: {3}(?<skipped>\d{1,9})$/,
    ],
  },
  { runner: 'bun', lines: [/^ (?<passed>\d{1,9}) pass$/, /^ (?<failed>\d{1,9}) fail$/, /^ (?<skipped>\d{1,9}) skip$/] },
  {
    runner: 'deno',
    lines: [
      /^(?:ok|FAILED) \| (?<passed>\d{1,9}) passed(?: \(\d+ steps?\))? \| (?<failed>\d{1,9}) failed(?: \(\d+ steps?\))?(?: \| (?<skipped>\d{1,9}) ignored)?/,
    ],
  },
  {
    runner: 'jasmine',
    lines: [/^(?<all>\d{1,9}) specs?, (?<failed>\d{1,9}) failures?(?:, (?<skipped>\d{1,9}) pending)?/],
  },
  {
    runner: 'playwright',
    lines: [
      /^ {2}(?<passed>\d{1,9}) passed \(\d+(?:\.\d+)?(?:ms|s|m|h)\)$/,
      /^ {2}(?<failed>\d{1,9}) failed$/,
      /^ {2}(?<skipped>\d{1,9}) (?:skipped|did not run)$/,
    ],
  },
  {
    runner: 'rspec',
    lines: [/^(?<all>\d{1,9}) examples?, (?<failed>\d{1,9}) failures?(?:, (?<skipped>\d{1,9}) pending)?/],
  },
  {
    runner: 'minitest',
    lines: [
      /^(?<all>\d{1,9}) (?:runs|tests), \d+ assertions, (?<failed>\d{1,9}) failures, (?<errors>\d{1,9}) errors, (?<skipped>\d{1,9}) (?:skips|pendings)/,
    ],
  },
  {
    runner: 'phpunit',
    lines: [
      /^OK \((?<passed>\d{1,9}) tests?, \d+ assertions?\)$/,
      /^Tests: (?<all>\d{1,9}), Assertions: \d+(?:, [A-Za-z ]+: \d+)*\.$/,
      /^Tests: \d+, Assertions: \d+.*, Errors: (?<errors>\d{1,9})/,
      /^Tests: \d+, Assertions: \d+.*, Failures: (?<failed>\d{1,9})/,
      /^Tests: \d+, Assertions: \d+.*, Skipped: (?<skipped>\d{1,9})/,
      /^Tests: \d+, Assertions: \d+.*, Incomplete: (?<skipped>\d{1,9})/,
    ],
  },
  {
    runner: 'surefire',
    lines: [
      /^\[(?:INFO|WARNING|ERROR)\] Tests run: (?<all>\d{1,9}), Failures: (?<failed>\d{1,9}), Errors: (?<errors>\d{1,9}), Skipped: (?<skipped>\d{1,9})$/,
    ],
  },
  { runner: 'ctest', lines: [/^\d+% tests passed, (?<failed>\d{1,9}) tests? failed out of (?<all>\d{1,9})$/] },
  {
    runner: 'googletest',
    lines: [
      /^\[ {2}PASSED {2}\] (?<passed>\d{1,9}) tests?\.$/,
      /^\[ {2}FAILED {2}\] (?<failed>\d{1,9}) tests?, listed below:$/,
      /^\[ {2}SKIPPED \] (?<skipped>\d{1,9}) tests?, listed below:$/,
    ],
  },
  {
    runner: 'dotnet',
    lines: [
      /^(?:Passed|Failed)! {2}- Failed: +(?<failed>\d{1,9}), Passed: +(?<passed>\d{1,9}), Skipped: +(?<skipped>\d{1,9}), Total: /,
    ],
  },
  {
    runner: 'exunit',
    lines: [
      /^(?:\d+ (?:doctests?|propert(?:y|ies)), )*(?<all>\d{1,9}) tests?, (?<failed>\d{1,9}) failures?(?:, \d+ excluded)?(?:, (?<skipped>\d{1,9}) skipped)?$/,
    ],
  },
  // shunit2 counts failed and skipped assertions, not tests.
  { runner: 'shunit2', lines: [/^Ran (?<all>\d{1,9}) tests?\.$/] },
  {
    runner: 'nextest',
    lines: [
      /^ +Summary \[[^\]]*\] +(?:\d+\/)?\d+ tests? run: (?<passed>\d{1,9}) passed(?: \([^)]*\))?(?:, (?<failed>\d{1,9}) failed)?(?:, (?<skipped>\d{1,9}) skipped)?/,
    ],
  },
]

/** A reader for each runner that prints only totals. */
export const counters: readonly ReadLines[] = runners.map(readTotals)

/**
 * The totals that a program without a runner prints at its end, as many C programs do. Other
 * programs print such lines too, so this reader is only used if no runner's output is found.
 */
export const countOwnTests: ReadLines = readTotals({
  runner: 'its own program',
  needsOneOf: ['passed'],
  lines: [
    /^\W*(?:tests? )?pass(?:ed)?(?: tests?)? ?[:=] *(?<passed>\d{1,9})\W*$/i,
    /^\W*(?:tests? )?fail(?:ed|ures?)?(?: tests?)? ?[:=] *(?<failed>\d{1,9})\W*$/i,
    /^\W*(?:tests? )?pass(?:ed)? ?[:=] *(?<passed>\d{1,9})\W+(?:tests? )?fail(?:ed|ures?)? ?[:=] *(?<failed>\d{1,9})\W*$/i,
    /^\W*(?<passed>\d{1,9})(?: tests?)? passed\W+(?:and )?(?<failed>\d{1,9})(?: tests?)? failed(?:, (?<skipped>\d{1,9}) skipped)?\W*$/i,
    /^\W*(?:all )?(?<passed>\d{1,9}) tests? passed\W*$/i,
    /^\W*(?<passed>\d{1,9}) ?(?:\/|of|out of) ?(?<all>\d{1,9}) tests? passed\W*$/i,
  ],
})

function readTotals({ runner, format = 'totals', lines: patterns, needsOneOf = anyCount }: Totals): ReadLines {
  return (lines) => {
    const sums = { passed: 0, failed: 0, errors: 0, skipped: 0, all: 0 }
    const said = new Set<string>()
    for (const line of lines) {
      // All these lines have a number near their start.
      if (line.length > 200 || !/\d/.test(line)) continue
      for (const pattern of patterns)
        for (const [what, count] of Object.entries(pattern.exec(line)?.groups ?? {})) {
          if (count === undefined) continue
          said.add(what)
          sums[what as keyof typeof sums] += Number(count)
        }
    }
    if (!needsOneOf.some((what) => said.has(what))) return null
    const { skipped } = sums
    const told = sums.failed + sums.errors
    const passed = said.has('passed') ? sums.passed : Math.max(0, sums.all - told - skipped)
    const failed = said.has('passed') && said.has('all') ? Math.max(told, sums.all - passed) : told
    const found = { runner, tests: [], complete: false, counts: { passed, failed, skipped } }
    // Two branches, since TypeScript cannot narrow the union otherwise.
    return format === 'totals' ? { ...found, format } : { ...found, format }
  }
}
