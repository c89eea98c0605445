import type { RunConfig } from '../../domain/run/run-config.ts'
import { lostTests } from '../../domain/verification/assurance.ts'
import { failingIn, isGreen } from '../../domain/verification/reruns.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import type { TreeTests } from '../tests-of-tree.ts'
import type { NarrowTrees } from './narrowing.ts'
import { runVariant, type VariantDeps } from './run-variant.ts'
import { shortened } from './shortened-steps.ts'
import type { Trying } from './trying.ts'

/** A part that is removed from the change. */
interface Lacking {
  /** Name of the log file. */
  readonly name: string
  /** Files with the base's content. */
  readonly paths: readonly string[]
  /** Files with a text that differs from the change's. */
  readonly files: readonly { readonly path: string; readonly content: string }[]
  /** The few tests to run; null to run all of them. */
  readonly narrowed: NarrowTrees | null
}

/** True if a step fails without a part of the change; its run ends with the first red test. */
export async function isHeld(
  deps: VariantDeps,
  { input, folder, base, change, flaky }: Trying,
  { name, paths, files, narrowed }: Lacking,
  signal: AbortSignal,
): Promise<boolean> {
  const config = shortened(input.config, { base, change })
  const tree = await deps.history.treeWith({
    base: input.commit,
    from: input.base,
    ...(narrowed && { without: narrowed.without }),
    paths,
    files: [...files, ...(narrowed?.files ?? [])],
  })
  const asked = { input: { ...input, config }, folder, variant: { tree, name } }
  const untilRed = change.status === 'PASS'
  const ran = tree === base.tree ? base : await runVariant(deps, { ...asked, untilRed }, signal)
  return !isGreenWithout({ config, change: narrowed?.control ?? change, flaky: flaky.ids }, ran)
}

interface With {
  readonly config: RunConfig
  readonly change: TreeTests
  readonly flaky: readonly string[]
}

/**
 * True if no step fails without a part of the change, apart from tests that are known to be flaky.
 * Code that compilers or loaders reject without the part counts as held, too.
 */
function isGreenWithout({ config, change, flaky }: With, without: TreeTests): boolean {
  const isKnown = (id: string) => flaky.includes(id)
  return !config.steps.some(({ name }) => {
    const named = (command: CommandRecord) => command.name === name
    const [ran, before] = [without.commands.find(named), change.commands.find(named)]
    const [report, own] = [without.tests[name] ?? null, change.tests[name] ?? null]
    // An earlier step is red.
    if (ran === undefined) return true
    const green = isGreen(ran, report)
    const { failing, unrun } = lostTests({ base: own, change: own, between: report, isGreen: green })
    if (![...failing, ...unrun].every(isKnown)) return true
    const wasGreen = before !== undefined && isGreen(before, own)
    const failed = failingIn(report)
    return wasGreen && !green && !(failed.length > 0 && failed.every(isKnown))
  })
}
