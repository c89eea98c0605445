import type { AgentRole } from '../../domain/lane/lane.ts'
import type { Offer } from '../tools/registry.ts'
import { architectSystem } from './architect.ts'
import { codingSystem } from './editor-coding.ts'
import { planningSystem } from './editor-planning.ts'
import { scoutSystem } from './scout.ts'

/** The system prompt of a role with what it is offered; the same each time. */
export function systemOf(role: AgentRole, offer: Offer = {}): string {
  switch (role) {
    case 'editor_planning':
      return planningSystem(offer)
    case 'editor_coding':
      return codingSystem(offer)
    case 'codebase_scout':
      return scoutSystem('codebase', offer)
    case 'build_scout':
      return scoutSystem('build', offer)
    default:
      return architectSystem(role, offer)
  }
}
