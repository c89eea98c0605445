import type { Tone } from './screen.ts'

const tones: Readonly<Record<string, Tone>> = {
  DONE: 'good',
  STUCK: 'bad',
  INFRA_ERROR: 'bad',
  NO_CHANGE: 'bad',
  TOO_VAGUE: 'bad',
  REJECTED: 'bad',
  CANCELLED: 'bad',
  ESCALATED: 'bad',
  BLOCKED: 'bad',
  APPROVED: 'good',
  NEEDS_CHANGES: 'strong',
}

/** The emphasis for a state or a verdict. */
export function toneOf(word: string | null | undefined): Tone {
  return tones[word ?? ''] ?? 'strong'
}
