import type { RunConfig } from '../../domain/run/run-config.ts'
import { lostTests } from '../../domain/verification/assurance.ts'
import { failingIn, isGreen } from '../../domain/verification/reruns.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import type { TreeTests } from '../tests-of-tree.ts'

interface With {
  readonly config: RunConfig
  readonly change: TreeTests
  readonly flaky: readonly string[]
}

/**
 * Whether no step fails without a part of the change for another reason than a test that is known
 * to be flaky. Code that no compiler and no loader takes is held, too.
 */
export function isGreenWithout({ config, change, flaky }: With, without: TreeTests): boolean {
  const isKnown = (id: string) => flaky.includes(id)
  return !config.steps.some(({ name }) => {
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
