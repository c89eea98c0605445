import type { Todo } from '../lane/todos.ts'
import type { StoryData } from './story.ts'

/**
 * True if planned work is left beyond the content of the workspace, which may be one slice: by the
 * editor's own list of steps, or by the slices of its plan.
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
