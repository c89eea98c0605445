import type { Story } from './story.ts'

/** Whether a retry goes on where the infrastructure has ended it, with all that its agents did. */
export function canGoOn({ state, data }: Pick<Story, 'state' | 'data'>): boolean {
  const { pending, origin } = data
  // Older versions left moves that only a story with its agents can make.
  if (state !== 'INFRA_ERROR' || pending === null || pending.event === 'workspace_restored') return false
  return origin !== null || (pending.event !== 'answered' && pending.event !== 'guided')
}
