import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { ended } from '../../state-family.ts'

type Standing = Pick<StoryLine, 'id' | 'state' | 'escalation' | 'depends_on' | 'slot'>

/** Why nobody's words of a story are heard at this moment; null for a story that has ended. */
export function whyItWaits(detail: RunDetail, story: Standing): string | null {
  const { id, state, escalation, depends_on, slot } = story
  const { user, budget, provider } = detail.pause
  if (ended.includes(state)) return null
  if (escalation !== null || state === 'ESCALATED') return 'It waits for your answer.'
  if (user !== null) return 'The run is paused.'
  if (budget !== null && (budget.stories.length === 0 || budget.stories.includes(id))) return 'It waits for its budget.'
  if (provider?.stories.includes(id)) return `It waits for the provider: ${provider.reason}`
  switch (state) {
    case 'QUEUED':
    case 'BLOCKED': {
      const open = depends_on.filter((need) => detail.stories.some((each) => each.id === need && each.state !== 'DONE'))
      return open.length > 0 ? `It waits for ${open.join(', ')}, which it needs.` : 'It waits for a free workspace.'
    }
    case 'SETUP':
      return slot === null ? 'It waits for a free workspace.' : 'Its workspace is made ready.'
    case 'VERIFYING':
      return 'The gate verifies its change.'
    case 'MERGING': {
      const isQueued = detail.merges.some((merge) => merge.story === id && merge.state === 'QUEUED')
      return isQueued ? 'It waits for its turn to be merged.' : 'It is merged, and the gate verifies the result.'
    }
    case 'PAUSED':
      return 'It is paused.'
    default:
      return 'Between two steps.'
  }
}
