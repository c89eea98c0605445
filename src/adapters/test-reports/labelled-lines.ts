import { limits } from '../../domain/limits.ts'
import { type FoundTests, isFileName } from './found-tests.ts'

/** The output of one of several programs whose outputs a task runner has mixed. */
export interface Output {
  /** The prefix of its lines; null for lines without one. */
  readonly label: string | null
  readonly runs: readonly FoundTests[]
}

/**
 * `[web] line`, `[web]: line`, `web:test: line`, `packages/web test: line`, `web:test | line`: the
 * prefixes that turbo, nx, lerna, pnpm, yarn, bun, moon, concurrently and npm-run-all put before
 * the lines of each program. A mere number is a count of tests.
 */
const labelled =
  /^(?:\[(?<bracket>[^\][]{1,80})\]:?|(?!\d+:)(?<colon>[^\s:[\]|│]{1,80}(?: [^\s:[\]|│]{1,60})?(?::[^\s:[\]|│]{1,60}){0,3}):|(?<bar>[^\s|│]{1,80}) *[|│])(?: (?<rest>.*))?$/

/** Log levels of Maven and of loggers, which do not name a program. */
const level = /^(?:info|warn|warning|error|debug|trace)$/i

/**
 * Separates the output of each program in which `read` finds tests after removing the prefix. All
 * other lines stay together, and so do all lines if there are more prefixes than a task runner has
 * programs.
 */
export function outputsIn(
  lines: readonly string[],
  read: (lines: readonly string[]) => readonly FoundTests[],
): readonly Output[] {
  const byLabel = new Map<string, string[]>()
  const labels = lines.map((line) => {
    const { bracket, colon, bar, rest = '' } = labelled.exec(line)?.groups ?? {}
    const label = bracket ?? colon ?? bar
    if (label === undefined || level.test(label)) return null
    const own = byLabel.get(label)
    if (own === undefined) byLabel.set(label, [rest])
    else own.push(rest)
    return label
  })
  // Most candidates are just words before a colon, and occur in fewer lines than the output of a
  // program with tests.
  const mostLines = [...byLabel].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 10 * limits.testReport.labels)
  const apart: { readonly label: string; readonly runs: readonly FoundTests[] }[] = []
  for (const [label, own] of mostLines) {
    const runs = apart.length > limits.testReport.labels ? [] : read(own)
    if (runs.length > 0) apart.push({ label, runs })
  }
  if (apart.length === 0 || apart.length > limits.testReport.labels) return [{ label: null, runs: read(lines) }]
  const known = new Set(apart.map(({ label }) => label))
  const rest = lines.filter((_, at) => !known.has(labels[at] ?? ''))
  return [{ label: null, runs: read(rest) }, ...apart]
}

/** Adds the prefix to the tests' paths: its folder before each file, or else the prefix itself. */
export function labelledTests(run: FoundTests, label: string): FoundTests {
  const [, folder] = /^(\S*\/\S+) \S+$/.exec(label) ?? []
  const placed = ([file = '', ...rest]: readonly string[]) =>
    folder !== undefined && isFileName(file.split(' > ', 1)[0] ?? '')
      ? [`${folder}/${file}`, ...rest]
      : [folder ?? label, file, ...rest]
  return { ...run, tests: run.tests.map((test) => ({ ...test, path: placed(test.path) })) }
}
