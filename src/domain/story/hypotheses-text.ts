import { sentence } from '../sentence.ts'
import type { StoryData } from './story.ts'

/**
 * All hypotheses, each once; the known facts if nobody stated one. `ended` is the reason why the
 * story stopped, or null.
 */
export function hypothesesText(
  { hypotheses, attempts, plans }: Pick<StoryData, 'hypotheses' | 'attempts' | 'plans'>,
  ended: string | null,
): string {
  const stated = [...new Set(hypotheses)]
  if (stated.length > 0) return stated.map((hypothesis) => `- ${hypothesis}`).join('\n')
  const last = attempts.at(-1)
  const known = [
    ended !== null && sentence`It stopped: ${ended}.`,
    plans.length === 0 ? 'No plan was handed in.' : `Plans handed in: ${plans.length}.`,
    last === undefined
      ? 'Nothing was verified.'
      : sentence`The last of ${attempts.length} verifications was ${last.status}: ${last.why ?? ''}.`,
  ]
  return `Nobody has stated one. What is known:\n${known
    .filter(Boolean)
    .map((fact) => `- ${fact}`)
    .join('\n')}`
}
