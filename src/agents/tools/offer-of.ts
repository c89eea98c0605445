import type { LaneData } from '../../domain/lane/lane.ts'
import { type Offer, toolsOf } from './registry.ts'

type Offering = Pick<LaneData, 'reviewed' | 'skills' | 'repositories' | 'agent' | 'mcp'>

/** Conditions that decide about a lane's tools, in addition to its role. */
export function offerOf({ reviewed, skills, repositories, agent, mcp = [] }: Offering): Offer {
  return {
    isReviewed: reviewed === true,
    hasSkills: skills === true,
    hasRepositories: repositories === true,
    isForeign: agent !== undefined,
    mcp,
  }
}

/** Tells by name if a lane has a tool. */
export function hasTool(data: Offering & Pick<LaneData, 'role'>): (tool: string) => boolean {
  const names = new Set(toolsOf(data.role, offerOf(data)).map(({ name }) => name))
  return (tool) => names.has(tool)
}
