import type { Story } from './story.ts'

/**
 * True if a retry continues where the infrastructure ended the story, with all the work of its
 * agents.
 */
export function canGoOn({ state, data }: Pick<Story, 'state' | 'data'>): boolean {
  const { pending, origin } = data
  // Older versions stored moves that only a story with its agents can make.
  if (state !== 'INFRA_ERROR' || pending === null || pending.event === 'workspace_restored') return false
  return origin !== null || (pending.event !== 'answered' && pending.event !== 'guided')
}
