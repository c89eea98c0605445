import { createHash } from 'node:crypto'
import { type GateFinding, listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { capText } from '../../domain/text.ts'
import { compareCounts, compareTests } from '../../domain/verification/compare-tests.ts'
import { howManyRan, type TestReport, testsThatRan } from '../../domain/verification/test-results.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { KeptAnswers } from '../assurance/kept-expectations.ts'
import { inConfiguration, mayDecide } from './changed-configuration.ts'
import { changedTexts } from './changed-texts.ts'
import { type ChangeComparison, type ComparingDeps, contentsOf } from './compared-files.ts'
import { inDisguise } from './disguised-text.ts'
import { inSources } from './judges-itself.ts'
import { movedAssertions } from './moved-assertions.ts'
import { inComments } from './suppressed-checks.ts'
import { inTakenPlaces } from './taken-places.ts'
import { inRemovedFiles, inTestFile } from './weakened-tests.ts'

/**
 * Finds the effects of a change on the gate itself: tests that no longer count as before, and
 * changed files that decide what green means.
 */
export async function findWeakening(
  deps: ComparingDeps,
  compared: ChangeComparison & { readonly kept?: KeptAnswers | undefined },
  signal: AbortSignal,
): Promise<readonly GateFinding[]> {
  const { kept } = compared
  const { base, change } = compared
  const reports = Object.values(base.tests)
  const steps = Object.entries(base.tests).map(([step, report]) => ({
    step,
    base: report,
    change: change.tests[step] ?? null,
  }))
  const tests = compareTests(steps)
  // A file that failed to load reports no tests.
  const isCounted =
    reports.some((report) => report?.complete && testsThatRan(report).length > 0) &&
    reports.every((report) => report === null || report.complete || !howManyRan(report))
  const isAllNamed = (report: TestReport | null) =>
    report?.complete === true && testsThatRan(report).length === report.tests.length
  const isAllCounted = isCounted && reports.every(isAllNamed)
  const { looked, rest } = toLookAt(compared)
  // A finding identified only by a step's name or a number of files has not been accepted for this
  // content.
  const exactly = async (found: Suspicion, all: readonly ChangedFile[]): Promise<Suspicion> => ({
    ...found,
    identity: [...found.identity, ...(await contentsOf(deps, { base, change, files: all }))],
  })
  const ofTests: Suspicion[] = []
  for (const each of compareCounts(steps)) ofTests.push(await exactly(each, compared.files))
  for (const each of tests) ofTests.push(each.kind === 'tests_unread' ? await exactly(each, compared.files) : each)
  let asked: ReturnType<typeof movedAssertions> | undefined
  const moved = () => (asked ??= movedAssertions(deps, { ...compared, files: looked }))
  const files: Suspicion[] = rest.length === 0 ? [] : [await exactly(tooMany(rest), rest)]
  for (const file of looked) {
    signal.throwIfAborted()
    if (isTestFile(file.path) || isTestFile(file.from ?? ''))
      files.push(...(await inTestFile(deps, { ...compared, file, isCounted, isAllCounted, moved }, signal)))
    files.push(...(await inConfiguration(deps, { ...compared, file }, signal)))
  }
  const decides = new Set(files.flatMap(({ kind, file }) => (kind === 'configuration' ? [file] : [])))
  files.push(...(await inTakenPlaces(deps, compared, signal)).filter(({ file }) => !decides.has(file)))
  if (isCounted) files.push(...(await inRemovedFiles(deps, { ...compared, files: looked, moved }, signal)))
  const counted = kept === undefined ? files : files.filter((found) => !isAnswered(found, kept, looked))
  const warnings = await earlyWarnings(deps, compared, signal)
  return capped(bounded([...ofTests, ...counted, ...warnings])).map(withId)
}

/** True if fewer assertions are harmless, since the copies show that all values still hold. */
function isAnswered({ kind, file: path }: Suspicion, { lost, read }: KeptAnswers, files: readonly ChangedFile[]) {
  if (kind !== 'fewer_assertions') return false
  const file = files.find((each) => each.path === path)
  // Assertions of removed files are counted together.
  const own = file?.status === 'deleted' ? files.filter(({ status }) => status === 'deleted') : [file]
  const paths = own.flatMap((each) => (each === undefined ? [] : [each.path, each.from ?? each.path]))
  return paths.every((each) => !isTestFile(each) || read.has(each)) && !lost.some((each) => paths.includes(each.path))
}

interface ToLookAt {
  readonly looked: readonly ChangedFile[]
  /** Test and configuration files beyond the number that is examined individually. */
  readonly rest: readonly ChangedFile[]
}

/**
 * The files of a change of any size that may weaken the gate, as many as can be read in reasonable
 * time.
 */
function toLookAt({ files, ...compared }: ChangeComparison): ToLookAt {
  const matters = ({ path, from = path }: ChangedFile) =>
    [path, from].some((each) => isTestFile(each) || mayDecide(each, compared))
  const all = files.filter(matters)
  return { looked: all.slice(0, limits.gate.files), rest: all.slice(limits.gate.files) }
}

function tooMany(rest: readonly ChangedFile[]): Suspicion {
  const said = rest.map(({ path, status }) => `${path} (${status})`)
  const claim = `${rest.length} more test and configuration files are changed than are looked at one by one.`
  return { kind: 'configuration', file: '', claim, evidence: listed(said), identity: said }
}

/** Too many findings become one. */
function bounded(found: readonly Suspicion[]): readonly Suspicion[] {
  const most = limits.gate.findings
  if (found.length <= most) return found
  const rest = found.slice(most - 1)
  const claim = `${rest.length} more places in which the change touches the gate.`
  const evidence = listed(rest.map((each) => each.claim))
  const identity = rest.flatMap(({ kind, identity: own }) => [kind, ...own])
  return [...found.slice(0, most - 1), { kind: 'configuration', file: '', claim, evidence, identity }]
}

/** Evidence is capped, since a model reads all of it at once. */
function capped(found: readonly Suspicion[]): readonly Suspicion[] {
  const { evidenceChars } = limits.gate
  const all = found.reduce((sum, { evidence }) => sum + evidence.length, 0)
  if (all <= evidenceChars) return found
  const share = Math.floor(evidenceChars / found.length)
  return found.map((each) => ({ ...each, evidence: capText(each.evidence, share) }))
}

export function withId({ identity, ...finding }: Suspicion): GateFinding {
  const hash = createHash('sha256')
    .update(JSON.stringify([finding.kind, ...identity]))
    .digest('hex')
  return { ...finding, id: `g-${hash.slice(0, 12)}`, severity: 'major' }
}

/**
 * Finds early warnings in the words of a change, before anything is tried. A person settles each
 * by reading a few lines, and each can be wrong.
 */
async function earlyWarnings(
  deps: ComparingDeps,
  compared: ChangeComparison,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { texts, unread } = await changedTexts(deps, compared, signal)
  return [
    ...(await inComments(texts)),
    ...(await inSources(deps, { ...compared, texts }, signal)),
    ...(await inDisguise(texts)),
    ...unread,
  ]
}
