import { type GateFinding, listed, type Suspicion } from '../domain/gate/gate-finding.ts'
import { isTestFile } from '../domain/story/plan.ts'
import { testFileOf } from '../domain/verification/compare-tests.ts'
import type { RunFolder } from '../ports/artifacts.ts'
import { noFlakyTests } from './assurance/flaky-tests.ts'
import { askOldTests, nothingLost } from './assurance/try-hybrid.ts'
import type { GateDependencies } from './dependencies.ts'
import { contentsOf, textAt } from './findings/compared-files.ts'
import { withId } from './findings/gate-findings.ts'
import { kindsOf } from './modules/kinds-of.ts'
import type { TreeTests } from './tests-of-tree.ts'
import type { VerifyInput } from './verification-place.ts'

/** A commit of a Run's branch, and the one that it was merged onto. */
export interface MergedCommit {
  readonly story: string
  readonly commit: string
  readonly onto: string
  /** Ids of lost tests that the merge's manifest named, and that somebody accepted. */
  readonly told: ReadonlySet<string>
}

/** A finding about the whole Run, and the story whose merge brought it. */
export interface Brought {
  readonly story: string
  readonly finding: GateFinding
}

interface RunBaseInput {
  /** `base` and `config` of the Run; `commit` is the last merged one. */
  readonly given: Omit<VerifyInput, 'purpose' | 'refactor'>
  /** All merged commits, in order. */
  readonly merged: readonly MergedCommit[]
}

/**
 * Runs the tests of the Run's base on the Run's final sources. Each merge was compared with the tip
 * alone, so several merges together may lose a test that no single one loses. A single merge onto
 * the base has had this comparison already. Rejects with InfraFailure when the steps could not run.
 */
export async function tryRunBase(
  deps: GateDependencies,
  { given, merged }: RunBaseInput,
  signal: AbortSignal,
): Promise<readonly Brought[]> {
  if (merged.length < 2 || given.config.assurance === 'fast' || given.config.steps.length === 0) return []
  const input: VerifyInput = { ...given, purpose: 'alone', refactor: false }
  const folder = await deps.artifacts.openRun(input.runId, { ofBase: false })
  try {
    return await findBrought(deps, { input, merged, folder }, signal)
  } finally {
    await folder.discard()
  }
}

interface Trying {
  readonly input: VerifyInput
  readonly folder: RunFolder
  readonly merged: readonly MergedCommit[]
}

async function findBrought(deps: GateDependencies, trying: Trying, signal: AbortSignal): Promise<readonly Brought[]> {
  const { input, merged } = trying
  const { lost, base, change, files, kindOf } = await lostAt(deps, trying, input.commit, signal)
  const told = new Set(merged.flatMap((each) => [...each.told]))
  for (const each of merged.filter((some) => some.told.size > 0)) {
    // The merge's manifest lists only the first ids; its earlier runs are kept, so this costs
    // nothing.
    const own = { ...trying, input: { ...input, base: each.onto } }
    const { lost: then } = await lostAt(deps, own, each.commit, signal)
    for (const id of [...then.failing, ...then.unrun, ...then.greened, ...then.gone]) told.add(id)
  }
  // A renamed test was not reported as lost if all of its expectations still hold.
  const failing = [...lost.failing, ...lost.unrun, ...lost.gone].filter((id) => !told.has(id))
  const greened = lost.greened.filter((id) => !told.has(id))
  if (failing.length + greened.length === 0) return []
  const changes = await Promise.all(
    merged.map(async ({ commit, onto, story }) => {
      const own = await deps.history.changedFiles(onto, commit)
      const paths = own.flatMap(({ path, from = path }) => [path, from])
      return { story, commit, paths, isSource: paths.some((path) => kindOf(path) === 'source') }
    }),
  )
  const sources = changes.filter(({ isSource }) => isSource)
  const at = async (commit: string) => {
    const { lost: then } = await lostAt(deps, trying, commit, signal)
    return new Set([...then.failing, ...then.unrun, ...then.gone])
  }
  const broken = await byStory(sources.length > 0 ? sources : changes, failing, at)
  const judged = files.filter(({ path, from = path }) => [path, from].some((each) => kindOf(each) !== 'other'))
  const contents = await contentsOf(deps, { base, change, files: judged })
  const paths = changes.flatMap((each) => each.paths)
  const places = await placesOf(deps, { input, ids: [...failing, ...greened], paths }, signal)
  const editorsOf = (id: string) => changes.filter((each) => each.paths.some((path) => places.get(id)?.has(path)))
  const lineOf = (id: string) => {
    const why = lost.why.get(id)?.split('\n')[0] ?? (lost.unrun.includes(id) ? 'did not run' : undefined)
    const others = [...new Set(editorsOf(id).map(({ story }) => story))]
    const by = others.length === 0 ? [] : [`(its file was changed by ${others.join(', ')})`]
    return [`${id}${why === undefined ? '' : `: ${why}`}`, ...by].join(' ')
  }
  const about = (kind: Suspicion['kind'], ids: readonly string[], claim: string): GateFinding =>
    withId({
      kind,
      file: '',
      claim,
      evidence: listed(ids.map(lineOf)),
      identity: ['base of the run', ...ids.toSorted(), ...contents],
    })
  // The last story that changed the expectation, else the last one that changed more than sources.
  const judges = changes.filter(({ paths }) => paths.some((path) => !['source', 'other'].includes(kindOf(path))))
  const exchanged = Map.groupBy(greened, (id) => (editorsOf(id).at(-1) ?? judges.at(-1) ?? changes.at(-1))?.story ?? '')
  return [
    ...[...broken].map(([story, ids]) => ({
      story,
      finding: about(
        'behaviour_changed',
        ids,
        `With the tests of the commit that the run started from, its final sources fail ${ids.length === 1 ? 'a test' : `${ids.length} tests`} that passed there. That is so since ${story} was merged.`,
      ),
    })),
    ...[...exchanged].map(([story, ids]) => ({
      story,
      finding: about(
        'expectation_changed',
        ids,
        `Of the tests that failed on the commit that the run started from, ${ids.length} pass on its final sources by changed tests, fixtures or configuration alone, which ${story} changed.`,
      ),
    })),
  ]
}

interface Placing {
  readonly input: VerifyInput
  readonly ids: readonly string[]
  readonly paths: readonly string[]
}

/**
 * The changed test files of each test: the file that its runner names, else the files that name it.
 */
async function placesOf(
  deps: GateDependencies,
  { input, ids, paths }: Placing,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const texts = new Map<string, string>()
  for (const path of new Set(paths.filter(isTestFile)))
    texts.set(path, (await textAt(deps, { sha: input.base, path }, signal)) ?? '')
  return new Map(
    ids.map((id) => {
      const [file, name] = [testFileOf(id), id.split(' > ').at(-1) ?? id]
      const own = [...texts].filter(([path, text]) =>
        file === '' ? text.includes(name) : path === file || path.endsWith(`/${file}`),
      )
      return [id, new Set(own.map(([path]) => path))]
    }),
  )
}

/** Bisects the merged commits: each test goes to the first one in which it is lost. */
async function byStory(
  commits: readonly Pick<MergedCommit, 'story' | 'commit'>[],
  ids: readonly string[],
  lostIn: (commit: string) => Promise<ReadonlySet<string>>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const look = async (some: typeof commits, left: readonly string[]): Promise<void> => {
    const [only] = some
    if (only === undefined || left.length === 0) return
    if (some.length === 1) {
      found.set(only.story, [...(found.get(only.story) ?? []), ...left])
      return
    }
    const half = some.slice(0, Math.floor(some.length / 2))
    const lost = await lostIn(half.at(-1)?.commit ?? '')
    await look(
      half,
      left.filter((id) => lost.has(id)),
    )
    await look(
      some.slice(half.length),
      left.filter((id) => !lost.has(id)),
    )
  }
  await look(commits, ids)
  return found
}

/** Runs the base's tests on the sources of a commit, and reuses the results of earlier runs. */
async function lostAt(deps: GateDependencies, { input: given, folder }: Trying, commit: string, signal: AbortSignal) {
  const input = { ...given, commit }
  const base = await deps.testsOfTrees.of({ deps, input, folder }, signal)
  const asked = { deps, input, folder, commit, name: 'merged' }
  const change: TreeTests = await deps.testsOfTrees.of(asked, signal)
  const files = await deps.history.changedFiles(input.base, commit)
  const compared = { base, change, config: input.config, files }
  const { kindOf, likely, comparing } = await kindsOf(deps, compared, signal)
  const trying = { input, folder, base, change, files, kindOf, likely, comparing, flaky: noFlakyTests }
  const old = await askOldTests(deps, trying, signal)
  return { lost: 'reason' in old ? nothingLost : old.lost, base, change, files, kindOf }
}
