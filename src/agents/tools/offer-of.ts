import type { LaneData } from '../../domain/lane/lane.ts'
import type { Offer } from './registry.ts'

type Offering = Pick<LaneData, 'skills' | 'repositories' | 'agent' | 'mcp'>

/** What a lane's tools depend on beside its role. */
export function offerOf({ skills, repositories, agent, mcp = [] }: Offering): Offer {
  return { hasSkills: skills === true, hasRepositories: repositories === true, isForeign: agent !== undefined, mcp }
}
