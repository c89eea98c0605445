import type { Clock } from '../ports/clock.ts'
import type { RunTreeDeps } from './run-tree.ts'
import type { TestsOfTrees } from './tests-of-tree.ts'

/**
 * The dependencies of the gate, which knows commits and configurations, but not Runs and stories.
 */
export interface GateDependencies extends RunTreeDeps {
  readonly testsOfTrees: TestsOfTrees
  readonly clock: Clock
}
