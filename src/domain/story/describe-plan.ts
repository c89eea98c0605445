import type { Plan } from './plan.ts'

/** A plan as Markdown for people; empty lists are left out. */
export function describePlan(plan: Plan): string {
  const part = (name: string, items: readonly string[]) =>
    items.length === 0 ? null : `${name}:\n${items.map((item) => `- ${item}`).join('\n')}`
  return [
    plan.behaviour_change,
    part('Criteria', plan.acceptance_criteria),
    part('Left alone', plan.non_goals),
    part('Slices', plan.slices),
    part('Files', plan.files),
    part('Tests', plan.tests),
    plan.hypothesis && `Hypothesis: ${plan.hypothesis}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}
