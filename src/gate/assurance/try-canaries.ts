import { createHash } from 'node:crypto'
import { hearCanaries } from '../../domain/gate/canaries/hear-canaries.ts'
import { isByExitCode, isSuspect, judgeStep, type Listening, together } from '../../domain/gate/canaries/judge-step.ts'
import { plant } from '../../domain/gate/canaries/plant-canary.ts'
import type { Suspicion } from '../../domain/gate/gate-finding.ts'
import { withCopies } from '../../domain/gate/kept/kept-copies.ts'
import type { Canaries } from '../../domain/verification/assurance.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import { textAt } from '../findings/compared-files.ts'
import type { Probes } from '../reach/find-probes.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { type CanaryPlace, canaryPlaces, testSteps } from './canary-places.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { type SpoiledFile, spoiledFiles, stillGreen, tellDeafTests } from './spoiled-tests.ts'
import { tellDisturbed } from './tell-disturbed.ts'
import type { Trying } from './try-hybrid.ts'

export interface CanariesTried {
  readonly canaries: Canaries
  readonly found: readonly Suspicion[]
  /** The run with the copies of tests that were asked for. */
  readonly copied?: TreeTests
  /** Words of the probes that were reached in the same run. */
  readonly noted?: readonly string[]
}

/**
 * Whether the steps notice a failing test. Tests that assert something false are added to real test
 * files, and expectations of the change's own tests are spoiled. All of them run at once. A test
 * that goes unnoticed is tried again alone, and finally on the base commit: a step counts as deaf
 * only if the change made it so.
 */
export async function tryCanaries(
  deps: VariantDeps,
  { probes, copies = new Map(), ...trying }: Trying & Pick<Running, 'copies' | 'probes'>,
  signal: AbortSignal,
): Promise<CanariesTried> {
  const steps = testSteps(trying)
  if (steps.length === 0)
    return { canaries: { status: 'not_tried', reason: 'no runner is known to have run a test', steps: [] }, found: [] }
  const { places, why } = await canaryPlaces(deps, trying, signal)
  const spoiled = await spoiledFiles(deps, { trying, sentinel: `s${wordOf(trying.change.tree)}` }, signal)
  if (places.length === 0 && spoiled.length === 0 && copies.size === 0) {
    const none = steps.map(({ name }) => judgeStep({ step: name, places: [], first: null, why: why.get(name) }))
    return { canaries: together(none), found: [] }
  }
  const planted = places.map((place, i): Planted => ({ ...place, token: tokenOf(trying.change.tree, i) }))
  const run = (variant: Omit<Running, 'trying'>) => runWith(deps, { ...variant, trying }, signal)
  const probed = await run({ name: 'canaries', planted, spoiled, copies, probes })
  // Where the probes have stopped the tests, their run says nothing of the canaries.
  const isStopped = probes !== undefined && isUnrun(trying, probed)
  const first = isStopped ? await run({ name: 'canaries', planted, spoiled, copies }) : probed
  const besides = { noted: isStopped ? [] : (probed.noted ?? []), ...(copies.size > 0 && { copied: first }) }
  const green = stillGreen(trying, { spoiled, ran: first })
  const mayDiffer = trying.files.some(({ path, from = path }) =>
    [path, from].some((each) => trying.kindOf(each) === 'config'),
  )
  const listening = steps.map(({ name }) => ({
    ...listen({ trying, planted, step: name, first }),
    ...{ mayDiffer, why: why.get(name) },
  }))
  const unheard = new Set(listening.flatMap(({ left }) => left.map(({ token }) => token)))
  const disturbed = () =>
    tellDisturbed(deps, {
      ...{ trying, planted, spoiled, first },
      run: (asked) => run({ ...asked, spoiled: [], anew: true }),
    })
  if (unheard.size === 0 && green.length === 0)
    return { canaries: together(listening.map((each) => judgeStep(each))), found: await disturbed(), ...besides }
  const left = planted.filter(({ token }) => unheard.has(token))
  const second = await run({ name: 'canaries-again', planted: left, spoiled: green, anew: true })
  const twice = listening.map((each) => ({ ...each, again: hear(each, { ran: second, planted: each.left }) }))
  const old = planted.filter(
    ({ before, steps }) => before !== null && twice.some((each) => isSuspect(each) && steps.includes(each.step)),
  )
  const runBase = (more: Pick<Running, 'name' | 'anew'>) => run({ ...more, planted: old, spoiled: [], ofBase: true })
  const hearBase = (each: Pick<Listened, 'trying' | 'step'>, ran: TreeTests | null) => {
    const own = old.filter(({ steps }) => steps.includes(each.step))
    return ran && own.length > 0 ? hear(each, { ran, planted: own }) : undefined
  }
  const control = old.length === 0 ? null : await runBase({ name: 'canaries-base' })
  const controlled = twice.map((each) => ({ ...each, onBase: hearBase(each, control) }))
  const isOneRun = controlled.some(isByExitCode)
  const again = isOneRun ? await runBase({ name: 'canaries-base-again', anew: true }) : null
  const all = controlled.map((each) => judgeStep({ ...each, onBaseAgain: hearBase(each, again) }))
  const deaf = stillGreen(trying, { spoiled: green, ran: second })
  const canaries = together(all)
  // Where the steps hear no failing test, nothing else that they say counts.
  if (canaries.status === 'deaf') return { canaries, found: [] }
  return { canaries, found: [...(await tellDeafTests(deps, { trying, deaf })), ...(await disturbed())], ...besides }
}

type Planted = CanaryPlace & { readonly token: string }

const wordOf = (tree: string): string => createHash('sha256').update(`canaries ${tree}`).digest('hex').slice(0, 9)

/** The same for the same tree, so that a run of it is known; nothing in the tree can know it. */
const tokenOf = (tree: string, i: number): string => `c${wordOf(tree)}${String(i).padStart(2, '0')}`

interface Running {
  readonly trying: Trying
  readonly name: string
  readonly planted: readonly Planted[]
  readonly spoiled: readonly SpoiledFile[]
  /** By path what is added to a test file: copies of tests that ask about old expectations. */
  readonly copies?: ReadonlyMap<string, string>
  readonly anew?: boolean
  readonly ofBase?: boolean
  readonly probes?: Probes | undefined
}

/** The steps up to the last one with tests, on the tree with canaries. */
async function runWith(
  deps: VariantDeps,
  { trying, name, planted, spoiled, copies = new Map(), anew = false, ofBase = false, probes }: Running,
  signal: AbortSignal,
): Promise<TreeTests> {
  const { input, folder } = trying
  const texts = new Map([...(probes?.files ?? []), ...spoiled].map(({ path, text }) => [path, text]))
  for (const [path, added] of copies) {
    const text = texts.get(path) ?? (await textAt(deps, { sha: input.commit, path }, signal)) ?? ''
    texts.set(path, withCopies(path, text, added))
  }
  for (const { path, now, before, token } of planted) {
    const { text, build } = (ofBase ? before : null) ?? now
    const own = { path, text: texts.get(path) ?? text, token }
    // Several may be built by the same files.
    const files = build?.files.map((file) => ({ ...file, text: texts.get(file.path) ?? file.text })) ?? []
    const added = plant({ ...own, build: build && { ...build, files } })
    if (added.ok) for (const file of added.files) texts.set(file.path, file.text)
  }
  const from = ofBase ? input.base : input.commit
  const files = [...texts].map(([path, content]) => ({ path, content }))
  const tree = await deps.history.treeWith({ base: from, from, paths: [], files })
  const testing = new Set(testSteps(trying).map((step) => step.name))
  const last = input.config.steps.findLastIndex((step) => testing.has(step.name))
  const config = { ...input.config, steps: input.config.steps.slice(0, last + 1) }
  const variant = { tree, name, about: 'Canaries for' }
  const notes = probes === undefined ? {} : { notes: probes.notes }
  return runVariant(deps, { input: { ...input, config }, folder, variant, anew, ...notes }, signal)
}

/** Whether no test passes in a step that had some. */
function isUnrun({ change }: Trying, { tests }: TreeTests): boolean {
  const hasPassed = (report: TestReport | null | undefined) => report?.tests.some(({ outcome }) => outcome === 'passed')
  return Object.entries(change.tests).some(([step, report]) => hasPassed(report) && !hasPassed(tests[step]))
}

interface Listened extends Listening {
  readonly trying: Trying
  /** What has to be heard once more: all of them where the step did not end as it must. */
  readonly left: readonly Planted[]
}

function listen({
  trying,
  planted,
  step,
  first,
}: Pick<Running, 'trying' | 'planted'> & { readonly step: string; readonly first: TreeTests }): Listened {
  const own = planted.filter(({ steps }) => steps.includes(step))
  const places = own.map(({ path, token, before }) => ({ path, token, isOld: before !== null }))
  const heard = hear({ trying, step }, { ran: first, planted: own })
  const left = own.filter(({ token }) => heard?.how === 'masked' || heard?.unheard.includes(token))
  return { trying, step, places, first: heard, left }
}

/** Null when the step did not run to its end. */
function hear(
  { trying, step }: Pick<Listened, 'trying' | 'step'>,
  { ran, planted }: { readonly ran: TreeTests; readonly planted: readonly Planted[] },
) {
  const command = ran.commands.find(({ name }) => name === step)
  const before = trying.change.tests[step]
  if (command === undefined || command.timed_out || !before || planted.length === 0) return null
  const tokens = planted.map(({ token }) => token)
  return hearCanaries({ exitCode: command.exit_code, report: ran.tests[step] ?? null, before, tokens })
}
