import { dataSection } from '../../../agents/prompts/data-section.ts'
import type { Plan } from '../../../domain/story/plan.ts'

/** The fields that differ from the previous round's plan, with their previous values. */
export function planDelta(plan: Plan, previous: Plan): string {
  const fields = [...new Set([...Object.keys(previous), ...Object.keys(plan)])] as (keyof Plan)[]
  const changed = fields.filter((field) => JSON.stringify(plan[field]) !== JSON.stringify(previous[field]))
  if (changed.length === 0) return 'This is the same plan as in the round before.'
  const before = Object.fromEntries(changed.map((field) => [field, previous[field] ?? null]))
  return `Changed since the round before: ${changed.join(', ')}. Their previous values:\n${dataSection('previous_plan', JSON.stringify(before))}`
}
