import type { Todo } from '../lane/todos.ts'
import type { StoryData } from './story.ts'

/**
 * Whether something planned is left to do beside what the workspace holds: by the editor's own list
 * of its steps, or by the slices of its plan. What the workspace holds may be one slice.
 */
export function hasOpenStep(
  {
    plans,
    attempts,
    attemptsBeforePlan = 0,
    change,
  }: Pick<StoryData, 'plans' | 'attempts' | 'attemptsBeforePlan' | 'change'>,
  todos: readonly Todo[] = [],
): boolean {
  if (todos.length > 0) return todos.some(({ status }) => status !== 'completed')
  const slices = plans.at(-1)?.slices.length ?? 1
  const own = attempts.slice(attemptsBeforePlan)
  const green = change === null ? 0 : own.filter(({ status }) => status === 'PASS').length
  return green < slices - 1
}
