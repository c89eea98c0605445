import { isProgramText } from '../../domain/gate/canaries/c-canary.ts'
import { drawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { plant } from '../../domain/gate/canaries/plant-canary.ts'
import type { Build } from '../../domain/gate/canaries/plant-program.ts'
import { ranIn } from '../../domain/gate/canaries/tests-named-in.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import type { TestReport, TestReportFormat } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import { filesReaching } from './reaching-tests.ts'
import { buildOf, buildsIn } from './test-programs.ts'
import type { Trying } from './trying.ts'

/** A test file that gets a canary. */
export interface CanaryPlace {
  readonly path: string
  readonly now: Version
  /** The file on the base commit; null if it is new. */
  readonly before: Version | null
  /** Names of the steps that run the file. */
  readonly steps: readonly string[]
}

export interface Version {
  readonly text: string
  /** The build of the file's tests, if they are programs of their own. */
  readonly build: Build | null
}

export interface Places {
  readonly places: readonly CanaryPlace[]
  /** The obstacles in steps without a place, by the step's name. */
  readonly why: ReadonlyMap<string, string>
}

interface TestStep {
  readonly name: string
  readonly report: TestReport
}

/** Steps that ran a test, as far as their runner tells; some runners name only failures. */
export function testSteps({ change }: Pick<Trying, 'change'>): readonly TestStep[] {
  return change.commands.flatMap(({ name }) => {
    const report = change.tests[name] ?? null
    const hasPassed = report?.tests.some(({ outcome }) => outcome === 'passed') || !report?.complete
    return report !== null && hasPassed ? [{ name, report }] : []
  })
}

/**
 * A few test files of each step: first those of the change, then those that name the changed files.
 * At least one is a file that the base commit has, if there is any, and at least one loads each
 * changed helper of the tests.
 */
export async function canaryPlaces(deps: ComparingDeps, trying: Trying, signal: AbortSignal): Promise<Places> {
  const { read, refused, helpers } = await readTestFiles(deps, trying, signal)
  const chosen = new Map<string, string[]>()
  const why = new Map<string, string>()
  for (const { name, report } of testSteps(trying)) {
    const isBuilding = buildsIn(trying.input.config, name)
    const possible = read.filter(({ now }) => now.build === null || isBuilding)
    const ran = ranIn(report)
    const known = possible.filter(({ path, now }) => ran({ path, text: now.text }))
    // Some runners name neither files nor their tests, or only failures.
    const programs = possible.filter(({ now }) => now.build !== null)
    const likely = programs.length > 0 ? programs : possible.filter(({ path }) => endings[report.format].test(path))
    const own = known.length > 0 ? known : likely
    if (own.length === 0 && isBuilding && refused[0] !== undefined) why.set(name, refused[0])
    for (const { path } of chooseFrom(own, helpers)) chosen.set(path, [...(chosen.get(path) ?? []), name])
  }
  const places = read.flatMap((file) => {
    const steps = chosen.get(file.path)
    return steps === undefined ? [] : [{ ...file, steps }]
  })
  return { places, why }
}

const [script, python] = [/\.[cm]?[jt]sx?$/, /\.py$/]
const endings: Readonly<Record<TestReportFormat, RegExp>> = {
  junit: /./,
  tap: script,
  node: script,
  vitest: script,
  jest: script,
  mocha: script,
  ava: script,
  pytest: python,
  unittest: python,
  go: /\.go$/,
  cargo: /\.rs$/,
  totals: /./,
}

type PlaceCandidate = Omit<CanaryPlace, 'steps'>

/** A changed file among the tests that declares none; it affects the tests that load it. */
interface Helper {
  /** Paths of files that name the helper, or of a file that names one of those. */
  readonly loadedBy: ReadonlySet<string>
}

function chooseFrom(files: readonly PlaceCandidate[], helpers: readonly Helper[]): readonly PlaceCandidate[] {
  // Make stops at the first program that fails.
  const isMake = files.some(({ now }) => now.build?.system === 'make')
  const first = files.slice(0, isMake ? 1 : limits.canaries.files)
  const old = first.some(({ before }) => before !== null) ? undefined : files.find(({ before }) => before !== null)
  const chosen = old === undefined ? first : [...first.slice(0, -1), old]
  if (isMake) return chosen
  const loading = helpers.flatMap(({ loadedBy }) =>
    chosen.some(({ path }) => loadedBy.has(path)) ? [] : (files.find(({ path }) => loadedBy.has(path)) ?? []),
  )
  return [...new Set([...chosen, ...loading])]
}

/** Test files that can get a canary, the most telling ones first; and the obstacles in others. */
async function readTestFiles(
  deps: ComparingDeps,
  { base, change, files, kindOf, input }: Trying,
  signal: AbortSignal,
): Promise<{
  readonly read: readonly PlaceCandidate[]
  readonly refused: readonly string[]
  readonly helpers: readonly Helper[]
}> {
  const committed = deps.history.committed(change.commit)
  const listed = await committed.list('**', limits.testReport.tests, signal)
  if (!listed.ok) return { read: [], refused: [], helpers: [] }
  const changed = new Set(files.map(({ path }) => path))
  const naming = (paths: readonly string[]) => filesReaching(deps, { sha: change.commit, paths }, signal)
  const helpersAmong = async (paths: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = []
    for (const path of paths.filter((each) => isTestFile(each) && isCode(each)).slice(0, limits.canaries.read)) {
      const text = await textAt(deps, { sha: change.commit, path }, signal)
      if (text !== null && declaredTests(text, path).length === 0) found.push(path)
    }
    return found.slice(0, limits.canaries.helpers)
  }
  const there = files.flatMap(({ path, status }) => (status === 'deleted' ? [] : [path]))
  const ofSources = await naming(there.filter((path) => kindOf(path) === 'source'))
  const helpers: Helper[] = []
  for (const path of await helpersAmong(there)) {
    const loadedBy = new Set(await naming([path]))
    // A helper may load another one.
    const others = await helpersAmong([...loadedBy].filter((each) => each !== path))
    for (const each of await naming(others)) loadedBy.add(each)
    helpers.push({ loadedBy })
  }
  const isLoading = (path: string) => helpers.some(({ loadedBy }) => loadedBy.has(path))
  const rank = (path: string) => (changed.has(path) ? 0 : isLoading(path) ? 1 : ofSources.has(path) ? 2 : 3)
  const candidates = listed.value.paths
    .filter((path) => (isTestFile(path) && isCode(path)) || path.endsWith('.rs'))
    .toSorted((a, b) => rank(a) - rank(b))
  const refused: string[] = []
  const versionAt = async (sha: string, path: string): Promise<Version | null> => {
    const text = await textAt(deps, { sha, path }, signal)
    if (text === null) return null
    const build = isProgramText(path) ? await buildOf(deps, { sha, path, config: input.config }, signal) : null
    const planted = plant({ path, text, token: 'canary', build, values: drawnValues('') })
    if (!planted.ok && planted.reason !== null) refused.push(planted.reason)
    return planted.ok ? { text, build } : null
  }
  const read: PlaceCandidate[] = []
  for (const path of candidates.slice(0, limits.canaries.read)) {
    const now = await versionAt(change.commit, path)
    if (now !== null) read.push({ path, now, before: await versionAt(base.commit, path) })
  }
  return { read, refused, helpers }
}
