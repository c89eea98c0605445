import { baseVerdictText } from '../../app/text/base-verdict-text.ts'
import { progressText } from '../../app/text/progress-text.ts'
import { trialWarnings } from '../../app/text/trial-text.ts'
import type { Event, EventData } from '../../domain/event.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { limits } from '../../domain/limits.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import { allFailOnBase } from '../../domain/verification/why-failed.ts'
import type { Milestone } from './milestone.ts'
import { takeMoney } from './money-lines.ts'
import { type PausedLanes, takePause } from './paused-lanes.ts'

/** The progress of one Run, as derived from its events alone. */
export interface Storyline {
  /** The kind of request; null if that event was not seen. */
  kind: string | null
  state: string
  /** The last tool call, or the last question to a scout. */
  last: string
  tokens: number
  /** Dollars spent by the calls that were seen; null once the price of one of them is unknown. */
  costUsd: number | null
  /** The time of the first event that was seen, in ms. */
  since: number | null
  /** The stories in planned order; for a task, its single story once it has begun. */
  readonly stories: Map<string, StoryProgress>
  /** Ids of messages that wait for a human. */
  readonly questions: Set<string>
  readonly paused: PausedLanes
  /** The progress of git: null before the first report, and empty after any other event. */
  git: string | null
  /** The failure of the last call, kept so that it is printed once; null after a success. */
  failure: string | null
  /** True once the note that tokens are estimated was printed. */
  isEstimated?: boolean
}

export interface StoryProgress {
  state: string
  attempt: number
}

export function createStoryline(): Storyline {
  return {
    kind: null,
    state: 'WAITING',
    last: '',
    tokens: 0,
    costUsd: 0,
    since: null,
    stories: new Map(),
    questions: new Set(),
    paused: new Map(),
    git: null,
    failure: null,
  }
}

/** The line for an event of any Run or story; null for one that only the live line shows. */
export function advanceWork(storyline: Storyline, event: Event): Milestone | null {
  const { type, data } = event
  switch (type) {
    case 'suspended':
    case 'resumed':
      return takePause(storyline.paused, event)
    case 'scout':
      storyline.last = `scout ${data.scout}`
      if (data.state === 'ASKED') return null
      return {
        text: `scout ${data.scout}: ${words(data.state)}`,
        tone: data.state === 'ANSWERED' ? 'plain' : 'bad',
        depth: 1,
      }
    case 'prepare':
      storyline.last = `prepare ${data.step}`
      return { text: `prepare ${data.step}`, detail: data.command, tone: 'plain', depth: 1 }
    case 'git_progress':
      return gitProgress(storyline, data)
    case 'verification':
      return {
        text: `${data.status}${data.error_type ? ` (${data.error_type})` : ''}`,
        detail: [data.run_id, ...testWords(data)].join(', '),
        tone: data.status === 'PASS' ? 'good' : 'bad',
        depth: 1,
      }
    case 'base_verdict':
      return {
        text: data.status === 'FAIL' ? 'the base commit is red' : 'the base commit is green',
        detail: baseVerdictText(data),
        tone: 'bad',
        depth: 0,
      }
    case 'tool':
      // The next state shows the tool call that ends a lane.
      if (!data.tool.startsWith('submit_') && data.tool !== 'no_change') storyline.last = data.tool
      return null
    case 'model_call':
      storyline.tokens += data.tokens ?? 0
      takeCost(storyline, data)
      return failureOf(storyline, data.error) ?? estimateOf(storyline, data)
    case 'uncommitted':
      return { text: 'not part of the work', detail: uncommittedWords(data), tone: 'bad', depth: 0 }
    case 'notification_failed':
      return { text: 'could not notify you', detail: `${data.notifier}: ${data.error}`, tone: 'bad', depth: 1 }
    case 'context_cut':
      return { text: `context ${data.stage}`, detail: cutDetail(data), tone: 'plain', depth: 1 }
    case 'model_tried': {
      storyline.isEstimated ||= data.reports_usage === false
      const warnings = trialWarnings(data)
      return warnings.length === 0 ? null : { text: data.model, detail: warnings.join(' '), tone: 'bad', depth: 1 }
    }
    case 'agent_failed':
      return { text: `agent ${data.agent}: ${data.kind}`, detail: data.message, tone: 'bad', depth: 1 }
    case 'mcp_withdrawn':
      return { text: `tools of ${data.server} withdrawn`, detail: mcpDetail(data), tone: 'bad', depth: 1 }
    case 'model_replaced':
      return { text: `${data.to} instead of ${data.from}`, detail: data.reason, tone: 'bad', depth: 1 }
    case 'unkept':
      return { text: 'workspace not kept', detail: data.reason, tone: 'bad', depth: 0 }
    case 'workspace_moved':
      return { text: 'workspace moved', detail: movedDetail(data), tone: data.lost ? 'bad' : 'plain', depth: 0 }
    case 'error':
      storyline.state = 'ERROR'
      return { text: 'ERROR', detail: data.message, tone: 'bad', depth: 0 }
    default:
      return takeMoney(event)
  }
}

/** The first progress of git in a Run gets a line; the live line shows the rest. */
function gitProgress(storyline: Storyline, data: EventData['git_progress']): Milestone | null {
  const { git } = storyline
  storyline.git = progressText(data)
  if (git !== null) return null
  return { text: 'large repository', detail: 'its history is made ready, once', tone: 'plain', depth: 1 }
}

function movedDetail({ from, lost, snapshot }: EventData['workspace_moved']): string {
  const kept = snapshot === null ? 'goes on from the base commit' : `goes on from the snapshot ${snapshot.slice(0, 12)}`
  return lost ? `${from} is gone; ${kept}` : `${from} has left; ${kept}`
}

function failureOf(storyline: Storyline, error: string | null): Milestone | null {
  const before = storyline.failure
  storyline.failure = error
  if (storyline.failure === null || storyline.failure === before) return null
  return { text: `model: ${storyline.failure}`, tone: 'bad', depth: 1 }
}

/** The note that tokens are estimated, printed once. */
function estimateOf(storyline: Storyline, { estimated }: EventData['model_call']): Milestone | null {
  if (!estimated || storyline.isEstimated) return null
  storyline.isEstimated = true
  return { text: 'the provider reports no usage', detail: 'tokens and dollars are estimated', tone: 'bad', depth: 1 }
}

/** Adds the cost of a call. A call without usage has no known cost. */
function takeCost(storyline: Storyline, { tokens, cost_usd: usd }: EventData['model_call']): void {
  if (tokens === null || usd === undefined) return
  storyline.costUsd = usd !== null && storyline.costUsd !== null ? storyline.costUsd + usd : null
}

/** The cost for one line; empty while it is 0. */
export function costInShort({ costUsd }: Storyline): string {
  if (costUsd === 0) return ''
  return costUsd === null ? 'cost unknown' : formatUsd(costUsd)
}

function uncommittedWords({ count, files }: EventData['uncommitted']): string {
  const more = count - files.length
  const which = [...files, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `${count} uncommitted ${count === 1 ? 'file' : 'files'}: ${which}`
}

function mcpDetail({ server }: EventData['mcp_withdrawn']): string {
  return `it has other tools than you approved; look at them: drydock mcp-servers approve ${server}`
}

function cutDetail({ lane, before, after }: EventData['context_cut']): string {
  return `${lane}: ${formatCount(before)} to ${formatCount(after)} tokens`
}

/** The number of the attempt, out of the permitted number of verify loops. */
export function attemptOf(attempt: number): string {
  return `attempt ${attempt}/${limits.verifyLoops}`
}

function words(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ')
}

export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/**
 * The number of tests that ran, failed or were flaky. A green verification with a known failure
 * names the permitted ids.
 */
function testWords(data: EventData['verification']): readonly string[] {
  const { status, tests, flaky, pre_existing: known = [], also_on_base: also } = data
  const isAllowed = status === 'PASS' && known.length > 0
  const remark = status === 'PASS' ? testsRemark(tests) : null
  const said = remark !== null ? [remark] : tests ? [countWords(tests, isAllowed)] : []
  const onBase = also === 'tests' ? [allFailOnBase] : also === 'step' ? ['this step also fails on the base commit'] : []
  return [...said, ...onBase, ...(flaky ? [`${flaky.length} FLAKY`] : [])]
}

function countWords({ passed, failed }: { readonly passed: number; readonly failed: number }, isAllowed: boolean) {
  const all = `${passed + failed} ${passed + failed === 1 ? 'test' : 'tests'}`
  if (failed === 0) return all
  return isAllowed ? `${all}, ${failed} allowed to fail` : `${failed} of ${all} failed`
}
