import { limits } from '../../domain/limits.ts'
import type { Hunks, UnprovenHunk } from '../../domain/verification/assurance.ts'
import type { Clock } from '../../ports/clock.ts'
import { changedPrograms } from './changed-programs.ts'
import { type Hunk, hunksOf } from './hunks.ts'
import { isHeld } from './is-held.ts'
import type { NarrowedOnce, NarrowTrees } from './narrowing.ts'
import type { VariantDeps } from './run-variant.ts'
import type { Trying } from './trying.ts'

type Deps = VariantDeps & { readonly clock: Clock }

/**
 * Reverts each hunk of the change's programs alone, the largest first: without it a step must fail,
 * or nothing holds it. The tests that load the change run first. If they stay green, the whole tree
 * runs, which may contain a test that reaches the hunk unseen.
 */
export async function tryHunks(
  deps: Deps,
  { narrowed: narrowedFor, ...trying }: Trying & { readonly narrowed: NarrowedOnce },
  signal: AbortSignal,
): Promise<Hunks> {
  const { input } = trying
  const { hunks, unread } = await findHunks(deps, trying, signal)
  // With changed dependencies, each tree would need a new installation.
  const budget = isInstalledAnew(trying) ? 0 : timeFor(trying)
  const few = hunks.length === 0 || budget === 0 ? null : await narrowedFor(input, signal)
  const end = deps.clock.now().getTime() + budget
  const isTime = () => deps.clock.now().getTime() < end
  const isHeldBy = (own: readonly Hunk[], { name, narrowed }: Asking): Promise<boolean> => {
    const paths = own.flatMap((hunk) => (hunk.without === null ? [hunk.file] : []))
    const files = own.flatMap(({ file, without }) => (without === null ? [] : [{ path: file, content: without }]))
    return isHeld(deps, trying, { name, paths, files, narrowed }, signal)
  }
  const proven: Hunk[] = []
  const unproven: Hunk[] = []
  const doubted: Hunk[] = []
  for (const [i, hunk] of hunks.slice(0, limits.assurance.hunks).entries()) {
    if (!isTime()) break
    const narrowed = few?.reaches(hunk.file) ? few : null
    const isProven = await isHeldBy([hunk], { name: nameOf(i), narrowed })
    const found = isProven ? proven : narrowed === null ? unproven : doubted
    found.push(hunk)
  }
  // The doubted hunks are reverted together first, since most often nothing holds any of them.
  const areApart = new Set(doubted.map(({ file }) => file)).size === doubted.length
  const isNoneHeld =
    doubted.length > 1 && areApart && isTime() && !(await isHeldBy(doubted, { name: 'hunks-whole', narrowed: null }))
  for (const hunk of doubted) {
    if (!isNoneHeld && !isTime()) break
    const name = `${nameOf(hunks.indexOf(hunk))}-whole`
    const isProven = !isNoneHeld && (await isHeldBy([hunk], { name, narrowed: null }))
    const found = isProven ? proven : unproven
    found.push(hunk)
  }
  const tried = new Set([...proven, ...unproven])
  const left = hunks.filter((hunk) => !tried.has(hunk))
  return {
    proven: proven.length,
    unproven: hunks.filter((hunk) => unproven.includes(hunk)).map(placeOf),
    not_tried: left.length + unread,
    ...(left.length > 0 && { left: left.slice(0, limits.gate.ids).map(placeOf) }),
  }
}

interface Asking {
  /** Name of the log file. */
  readonly name: string
  /** The few tests to run; null to run all of them. */
  readonly narrowed: NarrowTrees | null
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
