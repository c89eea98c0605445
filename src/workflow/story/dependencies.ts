import type { GateDependencies } from '../../gate/dependencies.ts'
import type { Guides } from '../guide/guides.ts'
import type { Sandboxes } from '../lane/sandboxes.ts'
import type { StepDependencies } from '../step-dependencies.ts'

/** The workspaces of stories and the sandboxes in them: enough to save a story's work. */
export interface WorkspaceDependencies extends StepDependencies, Pick<GateDependencies, 'workTrees'> {
  readonly sandboxes: Sandboxes
}

/** The parts that inform a story's agents, and that stop, review and prepare it. */
export interface StoryDependencies extends WorkspaceDependencies, Pick<GateDependencies, 'history' | 'sandbox'> {
  readonly guides: Guides
}
