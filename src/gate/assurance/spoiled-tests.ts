import type { DrawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { spoilExpectations } from '../../domain/gate/canaries/spoil-expectations.ts'
import { isSnapshot, mayRead, spoilSnapshot } from '../../domain/gate/canaries/spoil-snapshot.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, contentsOf, textAt } from '../findings/compared-files.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { BaseNotes } from './base-notes.ts'
import { filesNaming, filesReaching } from './reaching-tests.ts'
import type { SpoiledFile } from './spoiled-file.ts'
import { nameOf } from './spoiled-outcomes.ts'
import type { Trying } from './trying.ts'

/**
 * Spoils the tests of the change, tests that the change made green, and tests that reach a changed
 * source, whoever wrote them.
 */
export async function spoiledFiles(
  deps: ComparingDeps,
  { trying, values, notes }: { readonly trying: Trying; readonly values: DrawnValues; readonly notes: BaseNotes },
  signal: AbortSignal,
): Promise<readonly SpoiledFile[]> {
  const { base, change, files } = trying
  const renamed = new Map(files.map(({ path, from = path }) => [path, from]))
  const textsOf = async (path: string) => {
    const from = renamed.get(path) ?? path
    const text = await textAt(deps, { sha: change.commit, path }, signal)
    return { text, from, before: await textAt(deps, { sha: base.commit, path: from }, signal) }
  }
  const { tests, snapshots } = await pathsToSpoil(deps, trying, signal)
  const found: SpoiledFile[] = []
  for (const path of tests) {
    if (found.length >= limits.canaries.spoiled) break
    const { text, from, before } = await textsOf(path)
    if (text === null) continue
    const isDeaf = (name: string) => notes.has('deaf', from, name)
    const spoiled = spoilExpectations({ path, text, before, values, isDeaf })
    if (spoiled.tests.length > 0) found.push({ path, of: path, from, before, all: spoiled.tests, ...spoiled })
    for (const snapshot of snapshots.filter((each) => mayRead({ path, text }, each))) {
      if (found.some((each) => each.path === snapshot)) continue
      const own = await textsOf(snapshot)
      const isOld = own.before === own.text
      const whole = { path: snapshot, text: own.text ?? '', isOld }
      const made = own.text === null ? null : spoilSnapshot(whole, { path, text }, values)
      if (made === null) continue
      const isAsked = ({ name }: { readonly name: string }) => !isOld || !notes.has('deaf', own.from, name)
      const those = made.tests.filter(isAsked).map((test) => ({ ...test, isOld }))
      if (those.length === 0) continue
      found.push({
        path: snapshot,
        of: path,
        from: own.from,
        before: own.before,
        text: made.text,
        tests: those,
        all: those,
      })
    }
  }
  return found
}

async function pathsToSpoil(
  deps: ComparingDeps,
  { change, base, files, kindOf }: Trying,
  signal: AbortSignal,
): Promise<{ readonly tests: readonly string[]; readonly snapshots: readonly string[] }> {
  const there = files.flatMap(({ path, status }) => (status === 'deleted' ? [] : [path]))
  const sha = change.commit
  const uses = await usesOfTree(deps, sha, signal)
  const mayTest = (path: string) =>
    isCode(path) && (isTestFile(path) || path.endsWith('.rs') || uses?.tests.has(path) === true)
  const own = there.filter(mayTest)
  const all = await deps.history.committed(sha).list('**', limits.testReport.tests, signal)
  const allPaths = all.ok ? all.value.paths : []
  const tests = allPaths.filter(mayTest)
  const greened = becameGreen(base, change)
  const named = new Set(greened.map(testFileOf))
  const unplaced = greened.flatMap((id) => (testFileOf(id) === '' ? [nameOf(id)] : []))
  const naming = await filesNaming(deps, { sha, names: unplaced }, signal)
  const paths = there.filter((path) => kindOf(path) === 'source')
  const reaching = await filesReaching(deps, { sha, paths }, signal)
  const isNamed = (path: string) => named.has(path) || [...named].some((file) => file && path.endsWith(`/${file}`))
  const chosen = [
    ...own,
    ...tests.filter((path) => isNamed(path) || naming.has(path)),
    ...tests.filter((path) => reaching.has(path)),
  ]
  return {
    tests: [...new Set(chosen)].slice(0, limits.canaries.read),
    snapshots: allPaths.filter((path) => isSnapshot(path)),
  }
}

/** Ids of tests that pass with the change and did not pass, or did not exist, before. */
function becameGreen(base: TreeTests, change: TreeTests): readonly string[] {
  return Object.entries(change.tests).flatMap(([step, report]) => {
    const before = new Set(passedIds(base.tests[step]))
    return passedIds(report).filter((id) => !before.has(id))
  })
}

export async function tellDeafTests(
  deps: ComparingDeps,
  { trying, deaf }: { readonly trying: Trying; readonly deaf: readonly SpoiledFile[] },
): Promise<readonly Suspicion[]> {
  const { base, change, files, input } = trying
  const found: Suspicion[] = []
  for (const { path: from, of: path, tests } of deaf) {
    const own = files.filter((file) => file.path === path || file.path === from)
    const names = tests.map(({ name }) => name)
    const [count, pass, their] =
      tests.length === 1 ? ['A test', 'passes', 'its'] : [`${tests.length} tests`, 'pass', 'their']
    // An unchanged test is deaf because of changes in other files.
    const contents = await contentsOf(deps, { base, change, files: own.length > 0 ? own : files })
    found.push({
      kind: 'deaf_test',
      file: path,
      claim: `${count} of ${path} ${pass} with another value in ${their} last assertion, too.`,
      evidence: `${listed(tests.map(({ name, line }) => `${name}: ${line}`))}\nlogs/spoiled-again.log of ${input.runId}`,
      identity: [from, ...names.toSorted(), ...contents],
    })
  }
  return found
}
