import { agentNameOf } from '../model-name.ts'
import type { Run } from './run.ts'

/**
 * True if the editor submits a plan before it codes. A foreign agent reads the repository again in
 * each session, so the criteria of a task replace a plan that nobody reviews.
 */
export function plansFirst({ data: { models, policy, request } }: Pick<Run, 'data'>): boolean {
  if (policy.planReviewer !== null || models === null || agentNameOf(models.editor) === null) return true
  return request.kind !== 'task' || (request.task.acceptance_criteria ?? []).length === 0
}
