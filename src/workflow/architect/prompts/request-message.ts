import type { Speak } from '../../../agents/prompts/guidance.ts'

/** The first message of a request's lane: its text, followed by a human's guidance. */
export interface RequestPrompt {
  readonly text: string
  readonly guidance: string | null
}

/** Composes the first message of the lane; `speak` renders the human's words. */
export function requestMessage({ text, guidance }: RequestPrompt, speak: Speak): string {
  return [text, guidance && speak(guidance)].filter(Boolean).join('\n\n')
}
