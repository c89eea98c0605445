import { countAssertions, countSkips } from '../../domain/gate/assertions.ts'
import { changedLines, changedPlaces } from '../../domain/gate/changed-lines.ts'
import { countSkipsOf, declaredTests } from '../../domain/gate/declared-tests.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { namesOfTests, testsLostAlone } from '../../domain/gate/kept/lost-tests.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { capText } from '../../domain/text.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { isToldAsRemoved } from '../assurance/reduced-test-files.ts'
import {
  type ChangeComparison,
  type ComparingDeps,
  contentsOf,
  diffOf,
  isTooLarge,
  type OneFile,
  textAt,
} from './compared-files.ts'

interface OneTestFile extends OneFile {
  /** True if a runner names all tests of a step. */
  readonly isCounted: boolean
  /** True if runners name all tests of each step, so that no skipped test can go unreported. */
  readonly isAllCounted: boolean
  /** Assertions that only moved to another file, by their old file. */
  readonly moved: () => Promise<ReadonlyMap<string, number>>
}

/**
 * Findings in the text of a test file. Removed and skipped tests count only where a runner may not
 * have reported them.
 */
export async function inTestFile(
  deps: ComparingDeps,
  { base, change, file, isCounted, isAllCounted, moved }: OneTestFile,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { path, status, from = path } = file
  if (status === 'added') return []
  const before = await textAt(deps, { sha: base.commit, path: from }, signal)
  if (before === null) {
    if (!(await isTooLarge(deps, { sha: base.commit, path: from }, signal))) return []
    const claim = `${path} is ${status}, and was too large for its assertions to be counted.`
    const text = await diffOf(deps, { base, change, file })
    const identity = await contentsOf(deps, { base, change, files: [file] })
    return [{ kind: 'fewer_assertions', file: path, claim, evidence: capText(text, limits.gate.diffChars), identity }]
  }
  if (status === 'deleted') {
    const claim = `The test file ${path} is removed.`
    const was = countAssertions(before, from)
    if (isCounted || was === 0) return []
    const identity = await contentsOf(deps, { base, change, files: [file] })
    return [{ kind: 'tests_removed', file: path, claim, evidence: `It had ${was} assertions.`, identity }]
  }
  const after = (await textAt(deps, { sha: change.commit, path }, signal)) ?? ''
  const [was, is] = [countAssertions(before, from), countAssertions(after, path)]
  const [old, now] = [declaredTests(before, from), declaredTests(after, path)]
  const known = new Set(old.map(({ name }) => name))
  const [ran, runs] = [countSkips(before, from), countSkipsOf(known, after, path)]
  // The finding about a removed test covers its assertions.
  const isTold = isCounted && isToldAsRemoved({ base, change }, testsLostAlone(path, before, after))
  const isLess = !isTold && is < was && is + ((await moved()).get(path) ?? 0) < was
  const isSkipped = !isAllCounted && runs > ran
  const isFewer = !isCounted && now.length < old.length
  if (!isLess && !isSkipped && !isFewer) return []
  const found: Suspicion[] = []
  const diff = await diffOf(deps, { base, change, file })
  const lines = changedLines(diff)
  if (isLess) {
    const claim = `${path} has ${is} ${is === 1 ? 'assertion' : 'assertions'} instead of ${was}.`
    const asserts = (line: string) => countAssertions(line.slice(1), path) > 0
    const lost = lines.filter(asserts)
    const identity = [path, `${is - was}`, ...changedPlaces(diff, asserts)]
    found.push({ kind: 'fewer_assertions', file: path, claim, evidence: listed(lost), identity })
  }
  if (isFewer) {
    const left = new Set(now.map(({ name }) => name))
    const gone = old.flatMap(({ name }) => (left.has(name) ? [] : [name]))
    const claim = `${path} declares ${now.length} ${now.length === 1 ? 'test' : 'tests'} instead of ${old.length}, and no runner names those that run.`
    const identity = await contentsOf(deps, { base, change, files: [file] })
    found.push({ kind: 'tests_removed', file: path, claim, evidence: listed(gone), identity })
  }
  if (isSkipped) {
    const claim = `${path} skips tests in ${runs} places instead of ${ran}.`
    const skips = (line: string) => countSkips(line.slice(1), path) > 0
    const added = lines.filter(skips)
    const identity = [path, `${runs - ran}`, ...changedPlaces(diff, skips)]
    found.push({ kind: 'tests_skipped', file: path, claim, evidence: listed(added), identity })
  }
  return found
}

/**
 * Findings for tests that continue under the same names in another file: some assertions may have
 * been lost.
 */
export async function inRemovedFiles(
  deps: ComparingDeps,
  { base, change, files, moved }: ChangeComparison & Pick<OneTestFile, 'moved'>,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const assertionsOf = async (status: ChangedFile['status'], sha: string) => {
    const own = files.filter((file) => file.status === status && isTestFile(file.path))
    const counts: { readonly path: string; readonly count: number }[] = []
    for (const { path } of own) {
      const text = (await textAt(deps, { sha, path }, signal)) ?? ''
      if (status === 'deleted' && isToldAsRemoved({ base, change }, namesOfTests(path, text))) continue
      const count = countAssertions(text, path)
      if (count > 0) counts.push({ path, count })
    }
    return counts
  }
  const gone = await assertionsOf('deleted', base.commit)
  const come = gone.length === 0 ? [] : await assertionsOf('added', change.commit)
  const [was, is] = [gone, come].map((all) => all.reduce((sum, { count }) => sum + count, 0)) as [number, number]
  if (is >= was) return []
  const elsewhere = await moved()
  if (gone.reduce((sum, { path }) => sum + (elsewhere.get(path) ?? 0), 0) >= was) return []
  const said = [
    ...gone.map(({ path, count }) => `-${path}: ${count}`),
    ...come.map((each) => `+${each.path}: ${each.count}`),
  ]
  const claim = `Test files with ${was} assertions are removed, and those that are new have ${is}.`
  const counted = new Set([...gone, ...come].map(({ path }) => path))
  const identity = await contentsOf(deps, { base, change, files: files.filter(({ path }) => counted.has(path)) })
  return [{ kind: 'fewer_assertions', file: gone[0]?.path ?? '', claim, evidence: listed(said), identity }]
}
