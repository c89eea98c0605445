import type { ContextDependencies, TurnDependencies } from '../../lane/dependencies.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import type { ForeignAgents } from './foreign-agents.ts'

/** The parts for a foreign agent's turn in the workspace of its story. */
export interface AgentDependencies extends TurnDependencies, StoryDependencies, Pick<ContextDependencies, 'parts'> {
  readonly foreign: ForeignAgents
}
