import { type FoundTests, isFileName } from './found-tests.ts'

/** The lines of one program among several whose output a task runner has mixed. */
export interface Output {
  /** What stands before each of its lines; null for lines without a label. */
  readonly label: string | null
  readonly lines: readonly string[]
}

/**
 * `[web] line`, `[web]: line`, `web:test: line`, `packages/web test: line`, `web:test | line`: how
 * turbo, nx, lerna, pnpm, yarn, bun, moon, concurrently and npm-run-all mark the lines of each
 * program. A number alone counts tests.
 */
const labelled =
  /^(?:\[(?<bracket>[^\][]{1,80})\]:?|(?!\d+:)(?<colon>[^\s:[\]|│]{1,80}(?: [^\s:[\]|│]{1,60})?(?::[^\s:[\]|│]{1,60}){0,3}):|(?<bar>[^\s|│]{1,80}) *[|│])(?: (?<rest>.*))?$/

/**
 * Takes the output of each labelled program apart that `isRun` recognizes without its label. All
 * other lines stay together.
 */
export function outputsIn(
  lines: readonly string[],
  isRun: (lines: readonly string[]) => boolean,
): readonly [Output, ...Output[]] {
  const byLabel = new Map<string, string[]>()
  const labels = lines.map((line) => {
    const { bracket, colon, bar, rest = '' } = labelled.exec(line)?.groups ?? {}
    const label = bracket ?? colon ?? bar
    if (label === undefined) return null
    const own = byLabel.get(label)
    if (own === undefined) byLabel.set(label, [rest])
    else own.push(rest)
    return label
  })
  const apart = [...byLabel].filter(([, own]) => isRun(own))
  if (apart.length === 0) return [{ label: null, lines }]
  const known = new Set(apart.map(([label]) => label))
  const rest = lines.filter((_, at) => !known.has(labels[at] ?? ''))
  return [{ label: null, lines: rest }, ...apart.map(([label, own]) => ({ label, lines: own }))]
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
