import type { AgentRole } from '../../domain/lane/lane.ts'
import type { Offer } from '../tools/registry.ts'
import { architectSystem } from './architect.ts'
import { coderSystem } from './coder.ts'
import { plannerSystem } from './planner.ts'
import { scoutSystem } from './scout.ts'

/** The system prompt of a role with what it is offered; the same each time. */
export function systemOf(role: AgentRole, offer: Offer = {}): string {
  switch (role) {
    case 'planner':
    case 'crew_planner':
      return plannerSystem(role, offer)
    case 'coder':
    case 'crew_coder':
      return coderSystem(role, offer)
    case 'codebase_scout':
      return scoutSystem('codebase', offer)
    case 'build_scout':
      return scoutSystem('build', offer)
    default:
      return architectSystem(role, offer)
  }
}
