import type { GateDependencies } from '../../gate/dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import type { PublishDependencies } from '../merge/dependencies.ts'
import type { RestDependencies } from '../rest/dependencies.ts'
import type { StoryDependencies } from '../story/dependencies.ts'

/** The parts that run the gate, and apply its verdict to the story or the branch. */
export interface VerificationDependencies
  extends GateDependencies,
    StoryDependencies,
    PublishDependencies,
    DecisionDependencies,
    RestDependencies {}
