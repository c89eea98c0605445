import { type DrawnValues, drawnValues } from '../../domain/gate/canaries/drawn-values.ts'
import { judgeStep, together } from '../../domain/gate/canaries/judge-step.ts'
import { plant } from '../../domain/gate/canaries/plant-canary.ts'
import type { Suspicion } from '../../domain/gate/gate-finding.ts'
import { withCopies } from '../../domain/gate/kept/test-copies.ts'
import type { Canaries } from '../../domain/verification/assurance.ts'
import { passedIds, testsThatRan } from '../../domain/verification/test-results.ts'
import type { Clock } from '../../ports/clock.ts'
import { textAt } from '../findings/compared-files.ts'
import type { Probes } from '../reach/find-probes.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { type BaseNotes, baseNotes } from './base-notes.ts'
import { type CanaryPlace, canaryPlaces, type Places, testSteps } from './canary-places.ts'
import { canarySeed } from './canary-seed.ts'
import { expectAgain } from './expect-again.ts'
import { listenTo, type PlantedCanary, type RunWith } from './listen.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { shortened } from './shortened-steps.ts'
import type { SpoiledFile } from './spoiled-file.ts'
import { spoiledBehind } from './spoiled-outcomes.ts'
import { spoiledFiles, tellDeafTests } from './spoiled-tests.ts'
import { tellDisturbed } from './tell-disturbed.ts'
import { tellUntried } from './tell-untried.ts'
import type { Trying } from './trying.ts'

export interface CanaryTrial {
  readonly canaries: Canaries
  readonly found: readonly Suspicion[]
  /** The run with the requested copies of tests. */
  readonly copied?: TreeTests
  /** Words of the probes that were reached in the same run. */
  readonly noted?: readonly string[]
  /** True if nothing ran with the probes, although the tests run without them. */
  readonly isStopped?: boolean
}

/**
 * Checks that the steps notice a failing test. Tests that assert something false are added to real
 * test files, before and behind their own tests, and expectations of tests are spoiled. All of them
 * run at once. A test that goes unnoticed is tried again alone, and finally on the base commit: a
 * step counts as deaf only if the change made it so, and as untried only if the base can be tried.
 */
export async function tryCanaries(
  deps: Deps,
  { probes, copies = new Map(), ...trying }: Trying & Riding,
  signal: AbortSignal,
): Promise<CanaryTrial> {
  const testing = testSteps(trying)
  if (testing.length === 0)
    return { canaries: { status: 'not_tried', reason: 'no runner is known to have run a test', steps: [] }, found: [] }
  const { values, places, why, notes, spoiled, planted } = await planCanaries(deps, trying, signal)
  if (places.length === 0 && spoiled.length === 0 && copies.size === 0) {
    const none = testing.map(({ name }) => judgeStep({ step: name, places: [], first: null, why: why.get(name) }))
    return { canaries: together(none), found: [] }
  }
  const run = (asked: Parameters<RunWith>[0] & Riding) => runWith(deps, { ...asked, trying }, signal)
  // A copy of a test cannot pass beside a spoiled snapshot that its test reads.
  const isApart = spoiled.some(({ path, of }) => path !== of && copies.has(of))
  const riding = isApart ? new Map<string, string>() : copies
  const probed = await run({ name: 'canaries', planted, spoiled, copies: riding, ...(probes && { probes }) })
  // If the probes stopped the tests, their run says nothing about the canaries.
  const isStopped = probes !== undefined && isUnrun(trying, probed, spoiled)
  const first = isStopped ? await run({ name: 'canaries', planted, spoiled, copies: riding }) : probed
  const copied = isApart ? await run({ name: 'kept', planted: [], spoiled: [], copies }) : first
  const isUnbuilt = isStopped && !probed.noted?.length && isUnnamed(trying, probed) && !isUnnamed(trying, first)
  const besides = {
    ...(isUnbuilt && { isStopped }),
    noted: isStopped ? [] : (probed.noted ?? []),
    ...(copies.size > 0 && { copied }),
  }
  const steps = testing.map(({ name }) => ({ name, why: why.get(name) }))
  const listened = await listenTo({ trying, planted, steps, first, run, notes })
  const { canaries, unreached } = listened
  // If the steps are deaf, none of their other results count.
  if (canaries.status === 'deaf') return { canaries, found: [] }
  const expected = await expectAgain({ trying, planted, spoiled, unreached, first, run, values, notes })
  await notes.keep()
  const found = [
    ...(await tellDeafTests(deps, { trying, deaf: expected.deaf })),
    ...(await tellUntried(deps, { trying, unreached, lost: expected.lost })),
    ...(await tellDisturbed(deps, {
      trying,
      spoiled,
      first,
      planted: planted.filter(({ isFirst }) => !isFirst),
      run: (own) => run({ ...own, spoiled: [], anew: true }),
    })),
  ]
  return { canaries, found, ...besides }
}

/**
 * Runs the tree that `tryCanaries` is likely to need first, so that it finds the results. While the
 * change's own steps still run, `change` has the results that they are likely to have.
 */
export async function startCanaries(
  deps: Deps,
  { probes, ...trying }: Trying & Pick<Riding, 'probes'>,
  signal: AbortSignal,
): Promise<void> {
  if (testSteps(trying).length === 0) return
  const { places, spoiled, planted } = await planCanaries(deps, trying, signal)
  if (places.length + spoiled.length === 0) return
  await runWith(deps, { name: 'canaries', planted, spoiled, ...(probes && { probes }), trying }, signal)
}

type Deps = VariantDeps & { readonly clock: Clock }

interface CanaryPlan extends Places {
  readonly values: DrawnValues
  readonly notes: BaseNotes
  readonly spoiled: readonly SpoiledFile[]
  readonly planted: readonly PlantedCanary[]
}

async function planCanaries(deps: Deps, trying: Trying, signal: AbortSignal): Promise<CanaryPlan> {
  const values = drawnValues(await canarySeed(deps, trying.change.tree))
  const { places, why } = await canaryPlaces(deps, trying, signal)
  const notes = await baseNotes(deps, trying)
  const spoiled = await spoiledFiles(deps, { trying, values, notes }, signal)
  return { values, places, why, notes, spoiled, planted: places.flatMap((place) => plantedIn(place, values)) }
}

/** Further questions that the first run answers. */
interface Riding {
  /** Copies of tests that ask about old expectations, by the path of their test file. */
  readonly copies?: ReadonlyMap<string, string>
  readonly probes?: Probes
}

function plantedIn(place: CanaryPlace, values: DrawnValues): readonly PlantedCanary[] {
  return [true, false].flatMap((isFirst): readonly PlantedCanary[] => {
    const token = `${values.word()}${values.number()}${values.word()}`
    const { path, now } = place
    return plant({ path, ...now, token, values: drawnValues(token), isFirst }).ok ? [{ ...place, token, isFirst }] : []
  })
}

/** The steps up to the last one with tests, on the tree with canaries. */
async function runWith(
  deps: VariantDeps,
  asked: Parameters<RunWith>[0] & Riding & { readonly trying: Trying },
  signal: AbortSignal,
): Promise<TreeTests> {
  const { trying, name, planted, spoiled, copies = new Map<string, string>(), probes } = asked
  const { anew = false, ofBase = false } = asked
  const { input, folder } = trying
  const texts = new Map([...(probes?.files ?? []), ...spoiled].map(({ path, text }) => [path, text]))
  for (const [path, added] of copies) {
    const text = texts.get(path) ?? (await textAt(deps, { sha: input.commit, path }, signal)) ?? ''
    texts.set(path, withCopies(path, text, added))
  }
  for (const { path, now, before, token, isFirst } of planted) {
    const { text, build } = (ofBase ? before : null) ?? now
    const own = { path, text: texts.get(path) ?? text, token, isFirst, values: drawnValues(token) }
    // One build file may build several test files.
    const files = build?.files.map((file) => ({ ...file, text: texts.get(file.path) ?? file.text })) ?? []
    const added = plant({ ...own, build: build && { ...build, files } })
    if (added.ok) for (const file of added.files) texts.set(file.path, file.text)
  }
  const from = ofBase ? input.base : input.commit
  const files = [...texts].map(([path, content]) => ({ path, content }))
  const tree = await deps.history.treeWith({ base: from, from, paths: [], files })
  const testing = new Set(testSteps(trying).map((step) => step.name))
  const { steps, ...rest } = shortened(input.config, trying)
  const last = steps.findLastIndex((step) => testing.has(step.name))
  const config = { ...rest, steps: steps.slice(0, last + 1) }
  const variant = { tree, name, like: from }
  const notes = probes === undefined ? {} : { notes: probes.notes }
  return runVariant(deps, { input: { ...input, config }, folder, variant, anew, ...notes }, signal)
}

/** True if a step that had passing tests has none in this run, unless all of them are spoiled. */
function isUnrun({ change }: Trying, { tests }: TreeTests, spoiled: readonly SpoiledFile[]): boolean {
  return Object.entries(change.tests).some(([step, report]) => {
    const [passed, now] = [passedIds(report), tests[step] ?? null]
    const behind = spoiledBehind(spoiled, passed)
    const mayAllFail = testsThatRan(now).length > 0 && passed.every((id) => behind(id) !== undefined)
    return passed.length > 0 && passedIds(now).length === 0 && !mayAllFail
  })
}

/** True if a step that had passing tests names none in this run that passed or failed. */
function isUnnamed({ change }: Trying, { tests }: TreeTests): boolean {
  return Object.entries(change.tests).some(
    ([step, report]) => passedIds(report).length > 0 && testsThatRan(tests[step] ?? null).length === 0,
  )
}
