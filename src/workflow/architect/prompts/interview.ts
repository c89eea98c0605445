import type { Speak } from '../../../agents/prompts/guidance.ts'
import { type GuideTexts, guideSection } from '../../../agents/prompts/guide-section.ts'
import type { AskedQuestion } from '../../../domain/run/interview.ts'
import type { Spec } from '../../../domain/run/spec.ts'

interface Interviewing {
  readonly spec: Spec
  /** The commit from which the work would start. */
  readonly base: string
  readonly guide: GuideTexts | null
}

/** First message of the architect in INTERVIEW. */
export function interviewPrompt({ spec, base, guide }: Interviewing, speak: Speak): string {
  return [
    `The user wants:\n${speak(spec.text)}`,
    `The repository is at ${base}.`,
    guide && guideSection(guide),
    'Find out what is open, ask the user, and hand in the spec.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** A person's answers to one round, by the numbers of the questions. */
export function answersText(asked: readonly AskedQuestion[]): string {
  return asked.map(({ answer }, i) => `${i + 1}. ${answer}`).join('\n')
}

/** Tells the architect, after the user's answers, how many rounds remain. */
export function roundsLeft(left: number): string {
  const times = left === 1 ? 'once' : `${left} times`
  return `The user has answered your questions, by their numbers. ${
    left > 0 ? `You may ask ${times} more.` : 'You cannot ask again. Write the spec now.'
  }`
}

/** The answer to a round of questions beyond the limit. */
export function noRoundsLeft(rounds: number): string {
  return `You have asked ${rounds} times, and the user answers no more questions. Decide yourself what is open, list it in \`open_risks\`, and call \`submit_spec\`.`
}
