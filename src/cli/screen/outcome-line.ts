import type { Outcome } from '../../domain/run/outcome.ts'
import type { Screen, Tone } from './screen.ts'

/** The colour for each tone of an outcome. */
export const outcomeTone: Readonly<Record<Outcome['tone'], Tone>> = {
  good: 'good',
  bad: 'bad',
  waiting: 'bad',
  neutral: 'strong',
}

/** The line about a Run's outcome, in the words that every interface uses. */
export function outcomeLine(screen: Screen, { code, sentence, tone }: Outcome): string {
  return `Outcome:   ${screen.paint(outcomeTone[tone], code)}. ${screen.clean(sentence)}`
}
