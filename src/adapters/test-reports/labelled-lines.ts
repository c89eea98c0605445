import { limits } from '../../domain/limits.ts'
import { type FoundTests, isFileName } from './found-tests.ts'

/** What one program among several has printed whose output a task runner has mixed. */
export interface Output {
  /** The text before each of its lines; null for lines without a label. */
  readonly label: string | null
  readonly runs: readonly FoundTests[]
}

/**
 * `[web] line`, `[web]: line`, `web:test: line`, `packages/web test: line`, `web:test | line`: how
 * turbo, nx, lerna, pnpm, yarn, bun, moon, concurrently and npm-run-all mark the lines of each
 * program. A number alone counts tests.
 */
const labelled =
  /^(?:\[(?<bracket>[^\][]{1,80})\]:?|(?!\d+:)(?<colon>[^\s:[\]|│]{1,80}(?: [^\s:[\]|│]{1,60})?(?::[^\s:[\]|│]{1,60}){0,3}):|(?<bar>[^\s|│]{1,80}) *[|│])(?: (?<rest>.*))?$/

/** How loud a line of Maven or a logger is: no program. */
const level = /^(?:info|warn|warning|error|debug|trace)$/i

/**
 * Takes the output of each labelled program apart in which `read` finds tests without its label.
 * All other lines stay together, and so do all lines where there are more programs than a task
 * runner has.
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
  // Most labels are words before a colon. A program that tests prints more lines than those have.
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

/**
 * The tests with the place that their label names: its folder before the file of each, else the
 * label itself.
 */
export function labelledTests(run: FoundTests, label: string): FoundTests {
  const [, folder] = /^(\S*\/\S+) \S+$/.exec(label) ?? []
  const placed = ([file = '', ...rest]: readonly string[]) =>
    folder !== undefined && isFileName(file.split(' > ', 1)[0] ?? '')
      ? [`${folder}/${file}`, ...rest]
      : [folder ?? label, file, ...rest]
  return { ...run, tests: run.tests.map((test) => ({ ...test, path: placed(test.path) })) }
}
