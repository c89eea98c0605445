import type { LaneData } from '../../domain/lane/lane.ts'
import type { Offer } from './registry.ts'

/** What a lane's tools depend on beside its role. */
export function offerOf({ skills, agent, mcp = [] }: Pick<LaneData, 'skills' | 'agent' | 'mcp'>): Offer {
  return { hasSkills: skills === true, isForeign: agent !== undefined, mcp }
}
