import type { LastWords } from '../lane/last-words.ts'
import { limits } from '../limits.ts'
import { sentence } from '../sentence.ts'
import { quote } from '../text.ts'
import type { StoryData } from './story.ts'

/** Reasons for stories that ended without words of their own, some of them by an older version. */
const reasons = {
  hard_stop: `the verifier failed ${limits.verifyLoops} times without a PASS of the whole change`,
  flaky_tests: 'flaky tests alone decided its verdicts, time and again',
  iteration_limit: 'the editor reached its iteration limit without handing in its work',
  context_overflow: 'the conversation no longer fits the model; a retry starts a fresh one',
  malformed: 'the model of the editor made the same unusable call five times in a row',
  identical_calls: 'the editor made the same call with the same result five times in a row',
  no_progress: 'the editor continued without progress: no new change, no change in failing tests, no settled finding',
  refused: 'what the editor handed in was refused three times for the same reason',
  words_only: 'the model of the editor talked and called no tool',
  alternating: 'the editor made the same few calls again and again',
  turn_time: 'one turn of the agent took too long',
  tool_calls: 'one turn of the agent called its tools too often',
  no_call: 'the agent ended its turns without handing anything in',
  rejected: 'the architect rejected it',
} as const

/**
 * The reason why a story ended without DONE, for people. Words by agents or to agents are left out:
 * `wordsAtEnd` quotes them.
 */
export function whyEnded(stop: StoryData['stop']): string {
  if (stop === null) return 'unknown'
  if ('infra' in stop) return `infrastructure: ${stop.infra.errorType}: ${stop.infra.errorMessage}`
  const { reason, cause } = stop
  const isNamed = reason === 'iteration_limit' || reason === 'context_overflow'
  const what = isNamed ? reasons[reason] : 'the editor was stopped'
  return cause === undefined ? reasons[reason] : sentence`${what}: ${cause}`
}

/**
 * Quotes the last words of the architect, the model or a refusing tool, with the speaker; nothing
 * is quoted twice.
 */
export function wordsAtEnd(stop: StoryData['stop']): readonly string[] {
  if (stop === null || 'infra' in stop) return []
  const { reason, cause = null, last, words } = stop
  if (reason === 'rejected') return last ? [quoted('The architect said:', last)] : []
  return wordsOfLane({ cause, last: last ?? null, words })
}

interface OfLane {
  /** The reason for the stop, as shown above. */
  readonly cause?: string | null
  /** The lane's last calls, or the last answer to it. */
  readonly last: string | null
  readonly words?: LastWords | undefined
}

export function wordsOfLane({ cause = null, last, words }: OfLane): readonly string[] {
  const { said = null, refused = null } = words ?? {}
  const isToldBelow = last !== null && refused !== null && says(last, refused.answer)
  const isSaidAbove = said !== null && [cause, last].some((text) => text !== null && says(text, said))
  return [
    ...(last === null || isToldBelow ? [] : [quoted('At the end:', last)]),
    ...(refused === null ? [] : [quoted(`The last refusal, of ${refused.tool}:`, refused.answer)]),
    ...(said === null || isSaidAbove ? [] : [quoted('The model said last:', said)]),
  ]
}

function quoted(who: string, words: string): string {
  return `${who}\n${quote(words)}`
}

/** True if a text contains these words, or their beginning as far as it has room. */
function says(text: string, words: string): boolean {
  return inOneLine(text).includes(inOneLine(words).slice(0, 80))
}

function inOneLine(text: string): string {
  return text.split(/\s+/).join(' ').trim()
}
