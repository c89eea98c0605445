import type { Message } from './message.ts'

/** The end of a lane's conversation, for people. Texts of others are shown as quotes. */
export interface LastWords {
  /** The model's last text in addition to its calls; null without one. */
  readonly said: string | null
  /** The last answer of a tool that was a refusal or a failure. */
  readonly refused: { readonly tool: string; readonly answer: string } | null
}

const mostChars = 600
/** A remark that the loop adds to an answer, for the model alone. */
const remarkToModel = /\s*\[drydock\] You [^\n]*/g

export function lastWordsOf(messages: readonly Message[]): LastWords {
  const said = messages.findLast((message) => message.role === 'assistant' && message.text.trim() !== '')
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  const refused = results.findLast(({ ok }) => !ok)
  return {
    said: said?.role === 'assistant' ? short(said.text) : null,
    refused: refused === undefined ? null : { tool: refused.tool, answer: short(refused.output) },
  }
}

function short(text: string): string {
  const told = text.replaceAll(remarkToModel, '').trim()
  return told.length <= mostChars ? told : `${told.slice(0, mostChars)}…`
}
