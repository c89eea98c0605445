import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { TreeTests } from '../tests-of-tree.ts'

interface MeasuredSteps {
  readonly change: TreeTests
  /** If given, the longer time of each step counts. */
  readonly base?: TreeTests
}

/**
 * The steps that test, and the steps before them, which may build, with shorter time limits for
 * trees on which a step may hang.
 */
export function shortened(config: RunConfig, { base, change: { tests, commands } }: MeasuredSteps): RunConfig {
  const last = config.steps.findLastIndex(({ name }) => (tests[name] ?? null) !== null)
  const { hunkTime, hunkSec } = limits.assurance
  const steps = config.steps.slice(0, last < 0 ? config.steps.length : last + 1).map((step) => {
    const times = [...(base?.commands ?? []), ...commands].flatMap((ran) =>
      ran.name === step.name ? [ran.duration_ms] : [],
    )
    const took = Math.max(0, ...times) / 1_000
    // The limit only doubles, so that the kept result of another run is found.
    let timeoutSec: number = hunkSec
    while (timeoutSec < took * hunkTime) timeoutSec *= 2
    return { ...step, timeoutSec: Math.min(step.timeoutSec, timeoutSec) }
  })
  return { ...config, steps }
}
