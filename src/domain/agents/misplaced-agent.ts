import { agentNameOf } from '../model-name.ts'

export type ModelUse = 'default' | 'architect' | 'editor' | 'scout'

/**
 * The reason why these names cannot be the models of a role; null when no agent among them is in
 * the way.
 */
export function misplacedAgent(role: ModelUse, names: readonly string[]): string | null {
  const agent = names.find((name) => agentNameOf(name) !== null)
  if (agent === undefined) return null
  if (role !== 'editor') return `${agent} can only be the editor`
  return names.length > 1 ? `${agent} must be the only one: no model stands in for an agent` : null
}
