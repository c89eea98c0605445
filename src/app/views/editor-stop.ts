import type { Request } from '../../domain/request/request.ts'
import type { Story } from '../../domain/story/story.ts'

/**
 * The reason why a story's editor was stopped, with figures: the end of the story, or the decision
 * that is pending. Null if no editor of the story is stopped.
 */
export function editorStop(
  { state, data: { stop, request } }: Story,
  requests: readonly Pick<Request, 'id' | 'data'>[],
): string | null {
  if (stop !== null) return 'infra' in stop ? null : (stop.cause ?? null)
  if (state !== 'BUDGET_REVIEW' && state !== 'ESCALATED') return null
  return requests.find(({ id }) => id === request)?.data.cause ?? null
}
