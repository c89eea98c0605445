import { countRepeated, type LaneData, type RepeatCount } from '../domain/lane/lane.ts'
import type { ToolCall } from '../domain/lane/message.ts'
import { limits } from '../domain/limits.ts'
import { markOf } from './call-progress.ts'
import { isTerminal } from './tools/registry.ts'

const answerChars = 2_000

const fingerprintOf = ({ tool, input }: ToolCall): string => markOf(['asked', tool, input])

/**
 * Counts a call that another agent answers. Such answers vary in wording, so only the questions are
 * compared; null for a call that submits a result.
 */
export function countQuestion(
  { repeated, role }: Pick<LaneData, 'repeated' | 'role'>,
  call: ToolCall,
  answer: string,
): RepeatCount | null {
  if (isTerminal(role, call.tool)) return null
  return { ...countRepeated(repeated, fingerprintOf(call)), answer: answer.slice(0, answerChars) }
}

/** A warning in addition to the answer to a repeated question; empty for the first few repeats. */
export function questionWarning(repeated: RepeatCount | null): string {
  if (repeated === null || repeated.count < limits.identicalCallsWarn) return ''
  return `\n\n[drydock] You made this same call ${repeated.count} times in a row. Use the answer that you have: at ${limits.identicalCallsStop} times you are stopped.`
}

/** The count and the last answer of a question that is refused; null while it may be asked. */
export function askedEnough(
  { repeated, role }: Pick<LaneData, 'repeated' | 'role'>,
  call: ToolCall,
): (RepeatCount & { readonly answer: string }) | null {
  if (isTerminal(role, call.tool) || repeated?.answer === undefined) return null
  const { count, answer } = repeated
  if (repeated.fingerprint !== fingerprintOf(call) || count < limits.identicalCallsStop - 1) return null
  return { ...countRepeated(repeated, fingerprintOf(call)), answer }
}

export function notAskedAgain({ tool }: ToolCall, { count, answer }: RepeatCount): string {
  return `\`${tool}\` was not carried out: you made this same call ${count - 1} times before. Its last answer: ${answer}`
}
