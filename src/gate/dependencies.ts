import type { Clock } from '../ports/clock.ts'
import type { RunTreeDeps } from './run-tree.ts'
import type { TestsOfTrees } from './tests-of-tree.ts'

/**
 * What the gate works with. It knows commits and configurations, and nothing of Runs and stories.
 */
export interface GateDependencies extends RunTreeDeps {
  readonly testsOfTrees: TestsOfTrees
  readonly clock: Clock
}
