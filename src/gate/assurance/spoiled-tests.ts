import { spoilExpectations } from '../../domain/gate/canaries/spoil-expectations.ts'
import type { SpoiledTest } from '../../domain/gate/canaries/spoiling.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { testFileOf } from '../../domain/verification/compare-tests.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import { type ComparingDeps, contentsOf, textAt } from '../findings/compared-files.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { Trying } from './try-hybrid.ts'

/** A test file of the change with other expectations. */
export interface SpoiledFile {
  readonly path: string
  readonly text: string
  readonly tests: readonly SpoiledTest[]
}

export async function spoiledFiles(
  deps: ComparingDeps,
  { trying, sentinel }: { readonly trying: Trying; readonly sentinel: string },
  signal: AbortSignal,
): Promise<readonly SpoiledFile[]> {
  const { base, change, files } = trying
  const own = files.filter(({ path, status }) => status !== 'deleted' && isTestFile(path))
  const found: SpoiledFile[] = []
  for (const { path, from = path } of own.slice(0, limits.canaries.spoiled)) {
    const text = await textAt(deps, { sha: change.commit, path }, signal)
    if (text === null) continue
    const before = await textAt(deps, { sha: base.commit, path: from }, signal)
    const spoiled = spoilExpectations({ path, text, before, token: sentinel })
    if (spoiled.tests.length > 0) found.push({ path, ...spoiled })
  }
  return found
}

/**
 * Files with the uniquely named tests that passed before, and still pass although their
 * expectations are spoiled.
 */
export function stillGreen(
  { change }: Trying,
  { spoiled, ran }: { readonly spoiled: readonly SpoiledFile[]; readonly ran: TreeTests },
): readonly SpoiledFile[] {
  return spoiled.flatMap((file) => {
    const tests = file.tests.filter(({ name }) =>
      Object.entries(change.tests).some(([step, before]) => {
        const id = idOf(before, { path: file.path, name })
        return id !== null && ran.tests[step]?.tests.some((test) => test.id === id && test.outcome === 'passed')
      }),
    )
    return tests.length === 0 ? [] : [{ ...file, tests }]
  })
}

/** The only test of that name, as far as the runner tells the files of its tests; it has passed. */
function idOf(
  report: TestReport | null,
  { path, name }: { readonly path: string; readonly name: string },
): string | null {
  const found = report?.tests.filter(({ id }) => {
    const file = testFileOf(id)
    const isHere = file === '' || path === file || path.endsWith(`/${file}`)
    return isHere && (id.split(' > ').at(-1) ?? id).replace(/ #\d+$/, '') === name
  })
  const [one, other] = found ?? []
  return one?.outcome === 'passed' && other === undefined ? one.id : null
}

export async function tellDeafTests(
  deps: ComparingDeps,
  { trying, deaf }: { readonly trying: Trying; readonly deaf: readonly SpoiledFile[] },
): Promise<readonly Suspicion[]> {
  const { base, change, files, input } = trying
  const found: Suspicion[] = []
  for (const { path, tests } of deaf) {
    const own = files.filter((file) => file.path === path)
    const names = tests.map(({ name }) => name)
    const count = tests.length === 1 ? 'A test' : `${tests.length} tests`
    found.push({
      ...{ kind: 'deaf_test', file: path },
      claim: `${count} of ${path} ${tests.length === 1 ? 'passes' : 'pass'} whatever the last assertion expects.`,
      evidence: `${listed(tests.map(({ name, line }) => `${name}: ${line}`))}\nlogs/canaries-again.log of ${input.runId}`,
      identity: [path, ...names.toSorted(), ...(await contentsOf(deps, { base, change, files: own }))],
    })
  }
  return found
}
