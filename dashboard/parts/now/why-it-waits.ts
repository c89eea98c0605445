import type { RunDetail, StoryLine } from '../../../src/api/runs.ts'
import { may } from '../../data/may.ts'
import { ended } from '../../state-family.ts'
import { waitsForAnswer } from '../waits-for-answer.ts'

type Standing = Pick<StoryLine, 'id' | 'state' | 'outcome_label' | 'escalation' | 'depends_on' | 'slot'>

/** A story that is not being built yet waits for whatever its Run waits for. */
function whyRunWaits({ state }: RunDetail): string {
  if (state === 'AWAIT_APPROVAL') return may('operator') ? 'It waits until you approve the stories.' : waitsForAnswer()
  return state === 'WAITING' ? 'It waits for the turn of its run.' : 'It waits until the stories are planned.'
}

/** The reason why a story has no activity; null for a story that has ended. */
export function whyItWaits(detail: RunDetail, story: Standing): string | null {
  const { id, state, outcome_label, escalation, depends_on, slot } = story
  const { user, how = 'by hand', budget, provider } = detail.pause
  if (ended.includes(state)) return null
  if (escalation !== null || state === 'ESCALATED') return waitsForAnswer()
  if (user !== null) return `The run was paused ${how}.`
  if (budget !== null && (budget.stories.length === 0 || budget.stories.includes(id)))
    return `It waits for ${budget.caps.map((cap) => `budget.${cap}`).join(' and ') || 'its budget'}.`
  if (provider?.stories.includes(id)) return `It waits for the provider: ${provider.reason}`
  if (!detail.owned) return 'No process works on it.'
  switch (state) {
    case 'QUEUED':
    case 'BLOCKED': {
      const open = depends_on.filter((need) => detail.stories.some((each) => each.id === need && each.state !== 'DONE'))
      if (detail.state !== 'MONITORING') return whyRunWaits(detail)
      if (open.length > 0) return `It waits for ${open.join(', ')}, which it needs.`
      return detail.waits_for_slot?.stories.includes(id)
        ? detail.waits_for_slot.sentence
        : 'It waits for a free workspace.'
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
      return outcome_label === undefined ? 'It is paused.' : `${outcome_label}.`
    default:
      return 'Between two steps.'
  }
}
