import type { Speak } from '../../../agents/prompts/guidance.ts'

/** The beginning of a request's lane: its text, and then the words of a human. */
export interface RequestPrompt {
  readonly text: string
  readonly guidance: string | null
}

/** The first message of the lane, given how a human speaks in it. */
export function requestMessage({ text, guidance }: RequestPrompt, speak: Speak): string {
  return [text, guidance && speak(guidance)].filter(Boolean).join('\n\n')
}
