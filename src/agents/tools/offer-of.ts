import type { LaneData } from '../../domain/lane/lane.ts'
import type { Offer } from './registry.ts'

/** What a lane's tools depend on beside its role. */
export function offerOf({ skills, repositories, agent }: Pick<LaneData, 'skills' | 'repositories' | 'agent'>): Offer {
  return { hasSkills: skills === true, hasRepositories: repositories === true, isForeign: agent !== undefined }
}
