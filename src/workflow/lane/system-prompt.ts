import type { Offer } from '../../agents/tools/registry.ts'
import type { AgentRole } from '../../domain/lane/lane.ts'
import { architectSystem } from '../architect/prompts/system.ts'
import { codingSystem } from '../editor/prompts/coding.ts'
import { planningSystem } from '../editor/prompts/planning.ts'
import { scoutSystem } from '../scout/scout-prompt.ts'

/** The system prompt of a role with its offered tools; identical for identical input. */
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
