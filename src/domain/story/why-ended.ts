import { limits } from '../limits.ts'
import { sentence } from '../sentence.ts'
import type { StoryData } from './story.ts'

/** Of stories that ended without words of their own, some of them by an older version. */
const reasons = {
  hard_stop: `the verifier failed ${limits.verifyLoops} times without a PASS`,
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

/** Why a story ended without DONE, for people. */
export function whyEnded(stop: StoryData['stop']): string {
  if (stop === null) return 'unknown'
  if ('infra' in stop) return `infrastructure: ${stop.infra.errorType}: ${stop.infra.errorMessage}`
  const { reason, cause, last } = stop
  const isNamed = reason === 'iteration_limit' || reason === 'context_overflow'
  const what = isNamed ? reasons[reason] : 'the editor was stopped'
  const why = cause === undefined ? reasons[reason] : sentence`${what}: ${cause}`
  return sentence`${why}; ${last ?? ''}`
}
