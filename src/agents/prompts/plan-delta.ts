import type { Plan } from '../../domain/story/plan.ts'
import { dataSection } from './data-section.ts'

/** The fields that the plan of the round before had otherwise, as they were. */
export function planDelta(plan: Plan, previous: Plan): string {
  const fields = [...new Set([...Object.keys(previous), ...Object.keys(plan)])] as (keyof Plan)[]
  const changed = fields.filter((field) => JSON.stringify(plan[field]) !== JSON.stringify(previous[field]))
  if (changed.length === 0) return 'It is the same plan as in the round before.'
  const before = Object.fromEntries(changed.map((field) => [field, previous[field] ?? null]))
  return `Changed since the round before: ${changed.join(', ')}. These were:\n${dataSection('previous_plan', JSON.stringify(before, null, 2))}`
}
