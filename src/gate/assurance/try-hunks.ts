import { limits } from '../../domain/limits.ts'
import type { Hunks, UnprovenHunk } from '../../domain/verification/assurance.ts'
import type { Clock } from '../../ports/clock.ts'
import type { VerifyInput } from '../verification-place.ts'
import { changedPrograms } from './changed-programs.ts'
import { type Hunk, hunksOf } from './hunks.ts'
import { isHeld } from './is-held.ts'
import type { NarrowedOnce, NarrowTrees } from './narrowing.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

type Deps = VariantDeps & { readonly clock: Clock }

/** Tries hunks in one lane; the lane that ends last returns the results, all others null. */
export type HunksTrial = (input: VerifyInput, signal: AbortSignal) => Promise<Hunks | null>

/**
 * Reverts each hunk of the change's programs alone, the largest first: without it a step must fail,
 * or nothing holds it. The tests that load the change run first. If they stay green, the whole tree
 * runs, which may contain a test that reaches the hunk unseen. Lanes share the hunks.
 */
export function createHunksTrial(
  deps: Deps,
  { narrowed, ...trying }: Trying & { readonly narrowed: NarrowedOnce },
): HunksTrial {
  let planned: Promise<HunksPlan> | null = null
  let lanes = 0
  let isDone = false
  return async (input, signal) => {
    const own = { ...trying, input }
    lanes += 1
    planned ??= planHunks(deps, { ...own, narrowed }, signal)
    const plan = await planned
    await tryAlone(deps, own, plan, signal)
    lanes -= 1
    if (lanes > 0 || isDone) return null
    isDone = true
    await tryDoubted(deps, own, plan, signal)
    return resultOf(plan)
  }
}

interface HunksPlan extends FoundHunks {
  /** Hunks that no lane has tried yet. */
  readonly waiting: Hunk[]
  readonly few: NarrowTrees | null
  readonly isTime: () => boolean
  readonly proven: Set<Hunk>
  readonly unproven: Set<Hunk>
  /** Hunks that few tests do not hold. */
  readonly doubted: Hunk[]
}

async function planHunks(
  deps: Deps,
  { narrowed, ...trying }: Trying & { readonly narrowed: NarrowedOnce },
  signal: AbortSignal,
): Promise<HunksPlan> {
  const found = await findHunks(deps, trying, signal)
  const { hunks } = found
  // With changed dependencies, each tree would need a new installation.
  const budget = isInstalledAnew(trying) ? 0 : timeFor(trying)
  const few = hunks.length === 0 || budget === 0 ? null : await narrowed(trying.input, signal)
  const end = deps.clock.now().getTime() + budget
  const isTime = () => deps.clock.now().getTime() < end
  const waiting = hunks.slice(0, limits.assurance.hunks)
  return { ...found, waiting, few, isTime, proven: new Set(), unproven: new Set(), doubted: [] }
}

async function tryAlone(deps: Deps, trying: Trying, plan: HunksPlan, signal: AbortSignal): Promise<void> {
  const { waiting, hunks, few, isTime, proven, unproven, doubted } = plan
  for (let hunk = waiting.shift(); hunk !== undefined && isTime(); hunk = waiting.shift()) {
    const narrowed = few?.reaches(hunk.file) ? few : null
    const name = nameOf(hunks.indexOf(hunk))
    const isProven = await isHeldBy(deps, { trying, hunks: [hunk], name, narrowed }, signal)
    if (isProven) proven.add(hunk)
    else if (narrowed === null) unproven.add(hunk)
    else doubted.push(hunk)
  }
}

async function tryDoubted(deps: Deps, trying: Trying, plan: HunksPlan, signal: AbortSignal): Promise<void> {
  const { hunks, isTime, proven, unproven } = plan
  const doubted = hunks.filter((hunk) => plan.doubted.includes(hunk))
  const isHeldByAll = (own: readonly Hunk[], name: string) =>
    isHeldBy(deps, { trying, hunks: own, name, narrowed: null }, signal)
  // The doubted hunks are reverted together first, since most often nothing holds any of them.
  const areApart = new Set(doubted.map(({ file }) => file)).size === doubted.length
  const isNoneHeld = doubted.length > 1 && areApart && isTime() && !(await isHeldByAll(doubted, 'hunks-whole'))
  for (const hunk of doubted) {
    if (!isNoneHeld && !isTime()) break
    const isProven = !isNoneHeld && (await isHeldByAll([hunk], `${nameOf(hunks.indexOf(hunk))}-whole`))
    const found = isProven ? proven : unproven
    found.add(hunk)
  }
}

function resultOf({ hunks, unread, proven, unproven }: HunksPlan): Hunks {
  const left = hunks.filter((hunk) => !proven.has(hunk) && !unproven.has(hunk))
  return {
    proven: proven.size,
    unproven: hunks.filter((hunk) => unproven.has(hunk)).map(placeOf),
    not_tried: left.length + unread,
    ...(left.length > 0 && { left: left.slice(0, limits.gate.ids).map(placeOf) }),
  }
}

interface RevertedHunks {
  readonly trying: Trying
  readonly hunks: readonly Hunk[]
  /** Name of the log file. */
  readonly name: string
  /** The few tests to run; null to run all of them. */
  readonly narrowed: NarrowTrees | null
}

/** True if a step fails without these hunks. */
function isHeldBy(deps: Deps, { trying, hunks, name, narrowed }: RevertedHunks, signal: AbortSignal): Promise<boolean> {
  const paths = hunks.flatMap((hunk) => (hunk.without === null ? [hunk.file] : []))
  const files = hunks.flatMap(({ file, without }) => (without === null ? [] : [{ path: file, content: without }]))
  return isHeld(deps, trying, { name, paths, files, narrowed }, signal)
}

const nameOf = (number: number) => `hunk-${String(number + 1).padStart(2, '0')}`

const placeOf = ({ file, start, end, text }: Hunk): UnprovenHunk => ({ file, start, end, text })

interface FoundHunks {
  /** Sorted by the number of added lines, largest first. */
  readonly hunks: readonly Hunk[]
  /** Number of files that could not be read as text, or not completely. */
  readonly unread: number
}

async function findHunks(deps: Deps, trying: Trying, signal: AbortSignal): Promise<FoundHunks> {
  const { programs, unread } = await changedPrograms(deps, trying, signal)
  const bySize = (one: Hunk, other: Hunk) => other.added - one.added || other.removed - one.removed
  return { hunks: programs.flatMap(hunksOf).toSorted(bySize), unread: unread.length }
}

function isInstalledAnew({ input, files }: Trying): boolean {
  const inputs = input.config.prepare.flatMap((step) => step.inputs)
  const paths = files.flatMap(({ path, from = path }) => [path, from])
  return paths.some((path) => inputs.some((each) => path === each || path.startsWith(`${each}/`)))
}

function timeFor({ input, change }: Trying): number {
  const { assuranceBudget = limits.assurance.budget } = input.config
  const took = change.commands.reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  return assuranceBudget === 0 ? 0 : Math.max(limits.assurance.hunksMs, assuranceBudget * took)
}
