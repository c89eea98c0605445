/** A decision that the architect needs from the user before a spec can be written. */
export interface Question {
  /** The question, as one paragraph. */
  readonly question: string
  /** Consequences of the answer; may be empty. */
  readonly why: string
  readonly options: readonly string[]
  /** Number of the recommended option, from 1. */
  readonly recommended: number
}

/** A question of the latest round. */
export interface AskedQuestion extends Question {
  /** Id of the chat message that asks it. */
  readonly message: string
  /** The user's answer, as the architect reads it; null until there is one. */
  readonly answer: string | null
}

/** Progress of a Run's interview. */
export interface Interview {
  /** Rounds of questions so far. */
  readonly rounds: number
  readonly asked: readonly AskedQuestion[]
}

export const notBegun: Interview = { rounds: 0, asked: [] }

/** The answer that leaves a decision to the architect. */
const youDecide = 'you decide'

/** A user's reply as the architect reads it: the number of an option becomes its text. */
export function answerOf({ options }: Pick<Question, 'options'>, reply: string): string {
  const text = reply.trim()
  const option = isNumber(text) ? options[Number.parseInt(text, 10) - 1] : undefined
  if (option !== undefined) return option
  return /^(d|(you )?decide)[.!]?$/i.test(text) ? youDecide : text
}

/** The number that a reply consists of, if no option has it. */
export function missingOption({ options }: Pick<Question, 'options'>, reply: string): number | null {
  const text = reply.trim()
  const number = Number.parseInt(text, 10)
  return isNumber(text) && options[number - 1] === undefined ? number : null
}

const isNumber = (text: string) => /^\d+\.?$/.test(text)

/** A reply to any message in words; for an interview question, the chosen answer. */
export function wordsOf({ asked }: Interview, message: string, reply: string): string {
  const question = asked.find((each) => each.message === message)
  return question === undefined ? reply : answerOf(question, reply)
}

/** The options for people, one per line, each after its number. */
export function optionLines({ options, recommended }: Pick<Question, 'options' | 'recommended'>): readonly string[] {
  return options.map((option, i) => `${i + 1}. ${option}${i + 1 === recommended ? ' (recommended)' : ''}`)
}
