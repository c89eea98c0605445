import { plantCanary } from '../../domain/gate/canaries/plant-canary.ts'
import { ranIn } from '../../domain/gate/canaries/tests-named-in.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import type { TestReport, TestReportFormat } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import type { Trying } from './try-hybrid.ts'

/** A test file that gets a canary. */
export interface CanaryPlace {
  readonly path: string
  readonly text: string
  /** As the base commit has it; null where it has none. */
  readonly before: string | null
  /** Names of the steps that run it. */
  readonly steps: readonly string[]
}

interface TestStep {
  readonly name: string
  readonly report: TestReport
}

/** Steps that have run a test, as far as their runner tells; some name only what fails. */
export function testSteps({ change }: Pick<Trying, 'change'>): readonly TestStep[] {
  return change.commands.flatMap(({ name }) => {
    const report = change.tests[name] ?? null
    const hasPassed = report?.tests.some(({ outcome }) => outcome === 'passed') || !report?.complete
    return report !== null && hasPassed ? [{ name, report }] : []
  })
}

/**
 * A few test files of each step: those of the change first, then those that name what it changed;
 * at least one that the base commit has, where there is one.
 */
export async function canaryPlaces(
  deps: ComparingDeps,
  trying: Trying,
  signal: AbortSignal,
): Promise<readonly CanaryPlace[]> {
  const read = await readTestFiles(deps, trying, signal)
  const chosen = new Map<string, string[]>()
  for (const { name, report } of testSteps(trying)) {
    const ran = ranIn(report)
    const known = read.filter(ran)
    // Some runners name neither their files nor what stands in them, or only what fails.
    const own = known.length > 0 ? known : read.filter(({ path }) => endings[report.format].test(path))
    for (const { path } of chooseFrom(own)) chosen.set(path, [...(chosen.get(path) ?? []), name])
  }
  return read.flatMap((file) => {
    const steps = chosen.get(file.path)
    return steps === undefined ? [] : [{ ...file, steps }]
  })
}

const [script, python] = [/\.[cm]?[jt]sx?$/, /\.py$/]
const endings: Readonly<Record<TestReportFormat, RegExp>> = {
  ...{ junit: /./, tap: script, node: script, vitest: script, jest: script, mocha: script, ava: script },
  ...{ pytest: python, unittest: python, go: /\.go$/, cargo: /\.rs$/ },
}

type Read = Omit<CanaryPlace, 'steps'>

function chooseFrom(files: readonly Read[]): readonly Read[] {
  const first = files.slice(0, limits.canaries.files)
  if (first.some(({ before }) => before !== null)) return first
  const old = files.find(({ before }) => before !== null)
  return old === undefined ? first : [...first.slice(0, -1), old]
}

/** Test files to which a canary can be added, the telling ones first. */
async function readTestFiles(
  deps: ComparingDeps,
  { base, change, files, kindOf }: Trying,
  signal: AbortSignal,
): Promise<readonly Read[]> {
  const committed = deps.history.committed(change.commit)
  const listed = await committed.list('**', limits.testReport.tests, signal)
  if (!listed.ok) return []
  const changed = new Set(files.map(({ path }) => path))
  const sources = files.filter(({ path, status }) => status !== 'deleted' && kindOf(path) === 'source')
  const names = [...new Set(sources.map(({ path }) => stemOf(path)))].slice(0, limits.canaries.names)
  const pattern = names.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')
  const found = pattern === '' ? null : await committed.search({ pattern, glob: null, max: mostMatches }, signal)
  const naming = new Set(found?.ok ? found.value.matches.map(({ path }) => path) : [])
  const rank = (path: string) => (changed.has(path) ? 0 : naming.has(path) ? 1 : 2)
  const candidates = listed.value.paths
    .filter((path) => (isTestFile(path) && isCode(path)) || path.endsWith('.rs'))
    .toSorted((a, b) => rank(a) - rank(b))
  const read: Read[] = []
  for (const path of candidates.slice(0, limits.canaries.read)) {
    const text = await textAt(deps, { sha: change.commit, path }, signal)
    if (text === null || plantCanary({ path, text, token: 'canary' }) === null) continue
    const before = await textAt(deps, { sha: base.commit, path }, signal)
    read.push({
      path,
      text,
      before: before !== null && plantCanary({ path, text: before, token: 'canary' }) ? before : null,
    })
  }
  return read
}

const mostMatches = 2_000

/** What tests call a source by: of one that is called as its folder is, the folder. */
function stemOf(path: string): string {
  const [name = '', folder = ''] = path.split('/').reverse()
  const stem = name.replace(/\..*$/, '')
  return /^(?:index|main|mod|lib|__init__)$/.test(stem) && folder !== '' ? folder : stem
}
