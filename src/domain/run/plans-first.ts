import { agentNameOf } from '../model-name.ts'
import type { Run } from './run.ts'

/**
 * Whether its editor hands in a plan before it codes. A foreign agent reads the repository anew in
 * each of its sessions, so the criteria of a task stand for a plan that nobody reviews.
 */
export function plansFirst({ data: { models, policy, request } }: Pick<Run, 'data'>): boolean {
  if (policy.planReviewer !== null || models === null || agentNameOf(models.editor) === null) return true
  return request.kind !== 'task' || (request.task.acceptance_criteria ?? []).length === 0
}
