import type { AgentRole } from '../../domain/lane/lane.ts'
import { architectSystem } from './architect.ts'
import { coderSystem } from './coder.ts'
import { plannerSystem } from './planner.ts'
import { scoutSystem } from './scout.ts'

/** The system prompt of a role; the same each time. */
export function systemOf(role: AgentRole): string {
  switch (role) {
    case 'planner':
    case 'crew_planner':
      return plannerSystem(role)
    case 'coder':
    case 'crew_coder':
      return coderSystem(role)
    case 'codebase_scout':
      return scoutSystem('codebase')
    case 'build_scout':
      return scoutSystem('build')
    default:
      return architectSystem(role)
  }
}
