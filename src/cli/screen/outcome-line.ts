import type { Outcome } from '../../domain/run/outcome.ts'
import type { Screen, Tone } from './screen.ts'

/** By the tone of an outcome. */
export const outcomeTone: Readonly<Record<Outcome['tone'], Tone>> = {
  good: 'good',
  bad: 'bad',
  waiting: 'bad',
  neutral: 'strong',
}

/** What a Run has come to, in the words that it has everywhere. */
export function outcomeLine(screen: Screen, { code, sentence, tone }: Outcome): string {
  return `Outcome:   ${screen.paint(outcomeTone[tone], code)}. ${screen.clean(sentence)}`
}
