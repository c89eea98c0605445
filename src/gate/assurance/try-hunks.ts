import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { type Hunks, lostTests, type UnprovenHunk } from '../../domain/verification/assurance.ts'
import { failingIn, isGreen } from '../../domain/verification/reruns.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import { changedPrograms } from './changed-programs.ts'
import { type Hunk, hunksOf } from './hunks.ts'
import type { Narrowed } from './narrowing.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { shortened } from './shortened-steps.ts'
import type { Trying } from './try-hybrid.ts'

type Deps = VariantDeps & { readonly clock: Clock }

/**
 * Takes each hunk of the change's programs back alone, the largest first: without it a step must
 * fail, or nothing holds it.
 */
export async function tryHunks(
  deps: Deps,
  { narrowed, ...trying }: Trying & { readonly narrowed: () => Promise<Narrowed | null> },
  signal: AbortSignal,
): Promise<Hunks> {
  const { input, folder, base, change, flaky } = trying
  const { hunks, unread } = await findHunks(deps, trying, signal)
  const config = shortened(input.config, change)
  // Where the change has dependencies of its own, each tree would have them installed anew.
  const budget = isInstalledAnew(trying) ? 0 : timeFor(trying)
  const few = hunks.length === 0 || budget === 0 ? null : await narrowed()
  const end = deps.clock.now().getTime() + budget
  const found = { proven: 0, unproven: [] as Hunk[] }
  for (const [i, hunk] of hunks.entries()) {
    if (i >= limits.assurance.hunks || deps.clock.now().getTime() >= end) break
    const { file, without } = hunk
    const own = few?.reaches(file) ? few : null
    const tree = await deps.history.treeWith({
      ...{ base: input.commit, from: input.base, ...(own && { without: own.without }) },
      ...(without === null ? { paths: [file] } : { paths: [], files: [{ path: file, content: without }] }),
    })
    const variant = { tree, name: `hunk-${String(i + 1).padStart(2, '0')}`, about: `Without ${file}:${hunk.start} of` }
    const asked = { input: { ...input, config }, folder, variant, untilRed: change.status === 'PASS' }
    const without_it = tree === base.tree ? base : await runVariant(deps, asked, signal)
    if (isHeld({ config, change: own?.control ?? change, flaky }, without_it)) found.proven += 1
    else found.unproven.push(hunk)
  }
  const { proven, unproven } = found
  const left = hunks.slice(proven + unproven.length)
  return {
    proven,
    unproven: unproven.map(placeOf),
    not_tried: left.length + unread,
    ...(left.length > 0 && { left: left.slice(0, limits.gate.ids).map(placeOf) }),
  }
}

const placeOf = ({ file, start, end, text }: Hunk): UnprovenHunk => ({ file, start, end, text })

interface FoundHunks {
  /** The one that brings most lines is the first. */
  readonly hunks: readonly Hunk[]
  /** Files that could not be read as text, or not whole. */
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

interface With {
  readonly config: RunConfig
  readonly change: TreeTests
  readonly flaky: readonly string[]
}

/**
 * Whether a step fails without the hunk for another reason than a test that is known to be flaky;
 * what no compiler and no loader takes is held, too.
 */
function isHeld({ config, change, flaky }: With, without: TreeTests): boolean {
  const isKnown = (id: string) => flaky.includes(id)
  return config.steps.some(({ name }) => {
    const named = (command: CommandRecord) => command.name === name
    const [ran, before] = [without.commands.find(named), change.commands.find(named)]
    const [report, own] = [without.tests[name] ?? null, change.tests[name] ?? null]
    // It stands behind one that is red.
    if (ran === undefined) return true
    const green = isGreen(ran, report)
    const { failing, unrun } = lostTests({ base: own, change: own, between: report, isGreen: green })
    if (![...failing, ...unrun].every(isKnown)) return true
    const wasGreen = before !== undefined && isGreen(before, own)
    const failed = failingIn(report)
    return wasGreen && !green && !(failed.length > 0 && failed.every(isKnown))
  })
}
