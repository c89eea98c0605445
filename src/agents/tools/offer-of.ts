import type { LaneData } from '../../domain/lane/lane.ts'
import { type Offer, toolsOf } from './registry.ts'

type Offering = Pick<LaneData, 'reviewed' | 'skills' | 'repositories' | 'agent' | 'mcp'>

/** What a lane's tools depend on beside its role. */
export function offerOf({ reviewed, skills, repositories, agent, mcp = [] }: Offering): Offer {
  return {
    isReviewed: reviewed === true,
    hasSkills: skills === true,
    hasRepositories: repositories === true,
    isForeign: agent !== undefined,
    mcp,
  }
}

/** Whether a lane has a tool of this name. */
export function hasTool(data: Offering & Pick<LaneData, 'role'>): (tool: string) => boolean {
  const names = new Set(toolsOf(data.role, offerOf(data)).map(({ name }) => name))
  return (tool) => names.has(tool)
}
