import { createHash } from 'node:crypto'
import { countAssertions } from '../../domain/gate/assertions.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { withTestsOf } from '../../domain/gate/in-file-tests.ts'
import { type Assertion, assertionsIn } from '../../domain/gate/kept/assertion-list.ts'
import { isKept, type KeptCopies, keptCopies } from '../../domain/gate/kept/kept-copies.ts'
import { leafOf } from '../../domain/gate/kept/leaf-of.ts'
import { type TestFile, testsKeptWhole } from '../../domain/gate/kept/lost-tests.ts'
import { type ReadFile, readStatements } from '../../domain/gate/kept/statements.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import { type ChangeComparison, type ComparingDeps, contentsOf, diffOf, textAt } from '../findings/compared-files.ts'
import { isSameProgram } from '../reach/same-program.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { Trying } from './trying.ts'

/**
 * The questions that copies of the change's tests answer about the expectations of the base's
 * tests.
 */
export interface KeptQuestions extends KeptCopies {
  /** Every readable assertion of the base's changed test files. */
  readonly before: readonly Assertion[]
  /** Paths of test files whose assertions are known before and after. */
  readonly read: ReadonlySet<string>
  /** Ids of tests of the base that no longer run under their name. */
  readonly goneIds: readonly string[]
  /** The ids among them whose test has the same text and passes under another id. */
  readonly movedIds: ReadonlySet<string>
  /** Ids of all tests of the change. */
  readonly running: readonly string[]
}

/** The answers of the copies. */
export interface KeptAnswers {
  /** Ids of removed tests whose expectations all hold elsewhere. */
  readonly keptTests: ReadonlySet<string>
  /** Assertions that no test holds any more, except for those of removed tests. */
  readonly lost: readonly Assertion[]
  readonly read: ReadonlySet<string>
}

const testsIn = ({ tests }: TreeTests) =>
  Object.values(tests).flatMap((report) => report?.tests.map(({ id }) => id) ?? [])

/** The own name of a test, with the parameters of its row. */
const rowOf = (id: string) => (id.split(' > ').at(-1) ?? id).replace(/^(?:\w+::)+| #\d+$/g, '')

/** True if nothing in a file can fail when the file runs alone. */
function mayNotFail({ path, text }: TestFile): boolean {
  if (countAssertions(text, path) > 0 || declaredTests(text, path).length > 0) return false
  return isCode(path) && !/\b(?:throw|raise|panic|exit|abort|kill|import\s*\(|require)\b/.test(text)
}

/** Collects questions about the old expectations; null if no readable test file has changed. */
export async function askKept(
  deps: ComparingDeps,
  compared: ChangeComparison,
  signal: AbortSignal,
): Promise<KeptQuestions | null> {
  const { base, change, files } = compared
  const before: ReadFile[] = []
  const after: ReadFile[] = []
  const whole: { readonly was: TestFile[]; readonly is: TestFile[] } = { was: [], is: [] }
  const read = new Set<string>()
  for (const { path, from = path, status } of files
    .filter((file) => isTestFile(file.path) || file.path.endsWith('.rs'))
    .slice(0, limits.canaries.read)) {
    const [old, now] = await Promise.all([
      status === 'added' ? null : textAt(deps, { sha: base.commit, path: from }, signal),
      status === 'deleted' ? null : textAt(deps, { sha: change.commit, path }, signal),
    ])
    if (old !== null) whole.was.push({ path: from, text: old })
    if (now !== null) whole.is.push({ path, text: now })
    const [was, is] = [old && readStatements(from, old), now && readStatements(path, now)]
    if (was) before.push(was)
    if (is) after.push(is)
    if ((was || status === 'added') && (is || status === 'deleted')) read.add(path).add(from)
  }
  if (whole.was.length === 0) return null
  const now = new Set(testsIn(change))
  const passedOf = ({ tests }: TreeTests) => Object.values(tests).flatMap(passedIds)
  const goneIds = passedOf(base).filter((id) => !now.has(id))
  const gone = new Set(goneIds.map(leafOf))
  const token = `k${createHash('sha256').update(`kept ${change.tree}`).digest('hex').slice(0, 9)}`
  const copies = keptCopies({ before, after, token, isGone: (test) => gone.has(test) })
  const kept = testsKeptWhole(whole.was, whole.is)
  const passing = new Set(passedOf(change).map(rowOf))
  // Some runners count each file as a test, whatever it contains.
  const silent = new Set(whole.was.filter(mayNotFail).map(({ path }) => path))
  const movedIds = new Set(goneIds.filter((id) => silent.has(id) || (kept.has(leafOf(id)) && passing.has(rowOf(id)))))
  const assertions = before.flatMap((file) => assertionsIn(file))
  return { ...copies, before: assertions, read, goneIds, movedIds, running: [...now] }
}

/**
 * Answers from the run with the copies; without a run each value that is still present counts as
 * held.
 */
export function answerKept(
  { before, lost, asks, read, goneIds, movedIds, running }: KeptQuestions,
  ran: TreeTests | null,
): KeptAnswers {
  const results = ran === null ? [] : Object.values(ran.tests).flatMap((report) => report?.tests ?? [])
  const outcomeOf = (name: string) => {
    const own = name === '' ? [] : results.filter(({ id }) => id.includes(name))
    if (own.length === 0) return null
    return own.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'passed'
  }
  const answered = asks.map((ask) => ({ assertion: ask.assertion, kept: ran === null || isKept(ask, outcomeOf) }))
  const unkept = [...lost, ...answered.flatMap(({ assertion, kept }) => (kept ? [] : [assertion]))]
  const names = (all: readonly Assertion[]) => new Set(all.map(({ test }) => test))
  const [own, broken, asked] = [names(before), names(unkept), names(asks.map(({ assertion }) => assertion))]
  const isAnswered = (test: string) => ran !== null && own.has(test) && asked.has(test)
  const isHeld = (id: string) => !broken.has(leafOf(id)) && (isAnswered(leafOf(id)) || movedIds.has(id))
  const keptTests = new Set(goneIds.filter(isHeld))
  const still = new Set(running.map(leafOf))
  const told = new Set(
    goneIds
      .filter((id) => !keptTests.has(id))
      .map(leafOf)
      .filter((name) => !still.has(name)),
  )
  // The finding about a removed test covers its assertions.
  const left = unkept.filter(({ test }) => test === null || !told.has(test))
  return { keptTests, lost: [...new Set(left)], read }
}

/** The base's tests without tests whose expectations all hold elsewhere. */
export function withoutKept(base: TreeTests, { keptTests }: KeptAnswers): TreeTests {
  if (keptTests.size === 0) return base
  const tests = Object.entries(base.tests).map(([step, report]) => [
    step,
    report && { ...report, tests: report.tests.filter(({ id }) => !keptTests.has(id)) },
  ])
  return { ...base, tests: Object.fromEntries(tests) }
}

/**
 * True if a change touches only tests, including those in source files, fixtures and text for
 * people. Comments and the layout of a source do not count.
 */
export async function touchesTestsAlone(
  deps: ComparingDeps,
  { input, files, kindOf }: Pick<Trying, 'input' | 'files' | 'kindOf'>,
  signal: AbortSignal,
): Promise<boolean> {
  for (const { path, from = path, status } of files) {
    if ([path, from].every((each) => ['test', 'fixture', 'other'].includes(kindOf(each)))) continue
    if (status !== 'modified' || !isCode(path) || kindOf(path) !== 'source') return false
    const before = await textAt(deps, { sha: input.base, path }, signal)
    const after = await textAt(deps, { sha: input.commit, path }, signal)
    if (before === null || after === null) return false
    if (!isSameProgram(path, before, withTestsOf(path, after, before))) return false
  }
  return files.length > 0
}

/**
 * Reports exchanged expectations when no source changed: the product behaves as before, so a test
 * now expects less, or something else.
 */
export async function tellExchanged(
  deps: ComparingDeps,
  compared: ChangeComparison,
  { lost }: Pick<KeptAnswers, 'lost'>,
): Promise<readonly Suspicion[]> {
  const found: Suspicion[] = []
  for (const [path, own] of Map.groupBy(lost, (each) => each.path)) {
    const file = compared.files.find((each) => (each.from ?? each.path) === path)
    if (file === undefined) continue
    const added = (await diffOf(deps, { ...compared, file }))
      .split('\n')
      .filter((line) => /^\+(?!\+\+ )\s*\S/.test(line))
    const lines = [...own.map(({ line }) => `-${line}`), ...added.map((line) => `+${line.slice(1).trim()}`)]
    const count = own.length === 1 ? 'an expectation' : `${own.length} expectations`
    found.push({
      kind: 'expectation_changed',
      file: file.path,
      evidence: listed(lines),
      claim: `${file.path} exchanges ${count}, and the change touches nothing that the tests are about.`,
      identity: [path, ...(await contentsOf(deps, { ...compared, files: [file] }))],
    })
  }
  return found
}
