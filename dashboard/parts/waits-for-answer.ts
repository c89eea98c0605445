import { may } from '../data/may.ts'

/** The person whose answer is awaited, in words for the reader, since a viewer cannot answer. */
export function waitsForAnswer(): string {
  return may('operator') ? 'It waits for your answer.' : 'It waits for an operator.'
}

/** The one who can answer and decide: the reader, or an operator for a viewer. */
export function whom(): 'you' | 'an operator' {
  return may('operator') ? 'you' : 'an operator'
}

/** The sentence of an outcome, in words for the reader. */
export function outcomeSentence({ code, sentence }: { readonly code: string; readonly sentence: string }): string {
  return code === 'WAITS_FOR_YOU' ? waitsForAnswer() : sentence
}

/** The word for work that waits for a person, in words for the reader. */
export function waitsForWhom(): string {
  return `Waits for ${whom()}`
}
