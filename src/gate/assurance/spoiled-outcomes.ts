import type { SpoiledTest } from '../../domain/gate/canaries/spoiling.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import type { TestReport, TestResult } from '../../domain/verification/test-results.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { SpoiledFile } from './spoiled-file.ts'

/** The results of the steps with spoiled expectations, and without. */
export interface SpoiledRun {
  readonly change: TreeTests
  readonly ran: TreeTests
  readonly spoiled: readonly SpoiledFile[]
  /** The tokens of the canaries in each file: a failing canary shows that the file's tests ran. */
  readonly tokens: ReadonlyMap<string, readonly string[]>
}

/**
 * `red`: the test failed, as it must. `green`: the test passed. `lost`: the test is no longer
 * named, although other tests are. `unknown`: no step names the test.
 */
export type SpoiledOutcome = 'red' | 'green' | 'lost' | 'unknown'

/** The last part of an id, without the suffix that distinguishes tests of the same name. */
export function nameOf(id: string): string {
  const name = (id.split(' > ').at(-1) ?? id).replace(/ #\d+$/, '')
  return /^test\w*\[/.test(name) ? name.slice(0, name.indexOf('[')) : name
}

/** True if a test has this name; the names of a table's row are a pattern. */
function isNamed({ name, pattern }: Pick<SpoiledTest, 'name' | 'pattern'>, own: string, isJoined = false): boolean {
  if (pattern !== undefined) return new RegExp(`${isJoined ? '(?:^| )' : '^'}(?:${pattern})$`).test(own)
  return own === name || (isJoined && own.endsWith(` ${name}`))
}

/** Finds the spoiled test behind an id: that test itself, or a subtest of it. */
export function spoiledBehind(
  spoiled: readonly SpoiledFile[],
  ids: readonly string[],
): (id: string) => SpoiledTest | undefined {
  const all = spoiled.flatMap((file) => file.all)
  const own = new Map(
    ids.flatMap((id): readonly (readonly [string, SpoiledTest])[] => {
      const test = all.find((each) => isNamed(each, nameOf(id)))
      return test === undefined ? [] : [[id, test]]
    }),
  )
  const above = new Map(
    [...own].flatMap(([id, test]) => {
      const parts = id.split(' > ')
      return parts.slice(1).map((_, i) => [parts.slice(0, i + 1).join(' > '), test] as const)
    }),
  )
  return (id) => own.get(id) ?? above.get(id)
}

/** The files with those tests that have one of the wanted outcomes in any step. */
export function withOutcome(
  run: SpoiledRun,
  wanted: readonly SpoiledOutcome[],
  steps: readonly string[] = Object.keys(run.change.tests),
): readonly SpoiledFile[] {
  return run.spoiled.flatMap((file) => {
    const tests = file.tests.filter((test) =>
      steps.some((step) => wanted.includes(outcomeOf(run, { file, test, step }))),
    )
    return tests.length === 0 ? [] : [{ ...file, tests }]
  })
}

/** True if a test passed in a step, as far as its runner tells. */
export function hasPassed(ran: Pick<TreeTests, 'tests'>, { file, test }: Omit<TestQuery, 'step'>): boolean {
  return Object.entries(ran.tests).some(([step, report]) => {
    const own = testsOf(ran, step, { path: file.of, test })
    return own.some(({ outcome }) => outcome === 'passed') || (report?.complete === false && own.length === 0)
  })
}

interface TestQuery {
  readonly file: SpoiledFile
  readonly test: SpoiledTest
  readonly step: string
}

function outcomeOf(run: SpoiledRun, { file, test, step }: TestQuery): SpoiledOutcome {
  const before = run.change.tests[step] ?? null
  const asked = { path: file.of, test }
  const passed = testsOf(run.change, step, asked).filter(({ outcome }) => outcome === 'passed')
  if (passed.length === 0) return before?.complete === false ? byFailures(run, { file, test, step }) : 'unknown'
  // Several tests may have the same name: each spoiled one must fail, whatever its file.
  const isPlaced = before?.format !== 'cargo' && passed.every(({ id }) => testFileOf(id) !== '')
  const same = run.spoiled.filter(({ of }) => !isPlaced || of === file.of)
  const spoiled = same
    .flatMap(({ all }) => all)
    .filter((each) => each.name === test.name || isNamed(test, each.name)).length
  const found = testsOf(run.ran, step, asked)
  const count = (wanted: TestResult['outcome']) => found.filter(({ outcome }) => outcome === wanted).length
  if (count('passed') > Math.max(0, passed.length - spoiled)) return 'green'
  return count('failed') > 0 ? 'red' : 'lost'
}

/** The outcome from a runner that names only failures: another failure shows that the tests ran. */
function byFailures(run: SpoiledRun, { file, test, step }: TestQuery): SpoiledOutcome {
  const report = run.ran.tests[step] ?? null
  const hasFailed = (one: SpoiledTest) =>
    testsOf(run.ran, step, { path: file.of, test: one }).some(({ outcome }) => outcome === 'failed')
  if (hasFailed(test)) return 'red'
  const failed = report?.tests.filter(({ outcome }) => outcome === 'failed') ?? []
  const isHeard = run.tokens.get(file.of)?.some((token) => failed.some(({ id }) => id.includes(token)))
  const others = file.all.filter(({ name }) => name !== test.name)
  return isHeard || others.some(hasFailed) ? 'green' : 'unknown'
}

interface TestName {
  readonly path: string
  readonly test: Pick<SpoiledTest, 'name' | 'pattern'>
}

/**
 * The results of a step that may belong to a test. If a step names the test's module, results of
 * other modules are left out, since two modules may have tests of the same name.
 */
function testsOf({ tests }: Pick<TreeTests, 'tests'>, step: string, asked: TestName): readonly TestResult[] {
  const isOfModule = ({ id }: TestResult) => isInModule(id, asked.path)
  const isTold = Object.values(tests).some((report) => testsNamed(report, asked).some(isOfModule))
  return testsNamed(tests[step] ?? null, asked).filter((test) => !isTold || isOfModule(test))
}

/** True if an id begins with the module of a Python file: `tests > test_mean > Mean > test`. */
function isInModule(id: string, path: string): boolean {
  const module = path.replace(/\.py$/, '').split('/')
  const parts = id.split(' > ').slice(0, -2)
  return (
    path.endsWith('.py') && parts.some((_, i) => module.slice(-1 - i).join('/') === parts.slice(0, i + 1).join('/'))
  )
}

function testsNamed(report: TestReport | null, { path, test }: TestName): readonly TestResult[] {
  const isJoined = report?.format === 'tap' || report?.format === 'junit'
  // The first part of a cargo id is the file of the crate.
  const isCrate = report?.format === 'cargo'
  return (report?.tests ?? []).filter(({ id, notLoaded }) => {
    if (notLoaded) return false
    const file = testFileOf(id)
    if (!isCrate && file !== '' && path !== file && !path.endsWith(`/${file}`)) return false
    const own = nameOf(id)
    if (isCrate && own.endsWith(`::${test.name}`)) return true
    return isNamed(test, own, isJoined)
  })
}
