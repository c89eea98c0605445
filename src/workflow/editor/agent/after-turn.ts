import { failCall } from '../../../agents/fail-call.ts'
import type { LaneStep, Patience } from '../../../agents/lane.ts'
import { submitChange } from '../../../agents/tools/submit-change.ts'
import { submitPlan } from '../../../agents/tools/submit-plan.ts'
import { backoffMs } from '../../../domain/backoff.ts'
import type { Lane, LaneStop } from '../../../domain/lane/lane.ts'
import type { Message, ToolCall } from '../../../domain/lane/message.ts'
import { stopCause } from '../../../domain/lane/stop-cause.ts'
import { limits } from '../../../domain/limits.ts'
import { isHypothesisDue } from '../../../domain/story/hypothesis-due.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { AgentFailure } from '../../../ports/coding-agent.ts'
import { foreignNudge } from '../prompts/foreign-editor.ts'
import type { AgentLane, AgentTurn } from './agent-turn.ts'

export interface TurnEnd {
  readonly lane: AgentLane['lane']
  readonly story: Story
  /** Number of stored messages of the lane. */
  readonly stored: number
  readonly patience: Patience
}

/** The lane's step after a turn of its agent, unless an obstacle stopped the turn. */
export function stepAfter(turn: AgentTurn, ended: TurnEnd): LaneStep {
  const { end } = turn
  switch (end.type) {
    case 'accepted':
      return called(turn, ended, end.call)
    case 'idle':
      return afterIdle(turn, ended)
    case 'held':
      return { event: 'again', data: cutData(turn, ended), messages: saidIn(turn, paused) }
    case 'stopped':
      return { ...stopped(cutData(turn, ended), end.stop, turn.text), messages: saidIn(turn) }
    case 'failed':
      return afterFailure(turn, ended, end.failure)
    case 'obstacle':
      throw new Error(`${end.obstacle.type} is not the end of a turn`)
    default:
      throw new Error(`unknown end ${end satisfies never}`)
  }
}

const paused: Message = { role: 'user', text: 'A person paused the work, which ended your turn. Go on where you were.' }

/**
 * Turns the agent's call into a call of the lane, as if a model had replied with it; the workflow
 * answers it.
 */
export function called(turn: AgentTurn, ended: TurnEnd, call: ToolCall): LaneStep {
  const data = heardData(turn, ended)
  const said: Message = { role: 'assistant', text: turn.text, calls: [call] }
  return {
    event: 'called',
    data: { ...data, calls: [call], agent: { ...data.agent, told: ended.stored + turn.added.length + 1 } },
    messages: [...turn.added, said],
  }
}

/**
 * Reminds the agent once; the second time a coder's files count as its change, and a planner's
 * words as its plan.
 */
function afterIdle(turn: AgentTurn, ended: TurnEnd): LaneStep {
  const { lane, story } = ended
  const data = heardData(turn, ended)
  const idle = lane.data.agent.idle + 1
  if (idle >= limits.agentTurn.idleTurns) {
    const words = turn.text.trim().slice(0, 4_000)
    const handedIn = lane.data.role === 'editor_coding' ? changeOf(words, story) : planOf(words, story)
    return called(turn, ended, { id: `turn_${lane.data.turn}`, ...handedIn })
  }
  const nudge: Message = { role: 'user', text: foreignNudge(lane.data.role) }
  return { event: 'again', data: { ...data, agent: { ...data.agent, idle } }, messages: saidIn(turn, nudge) }
}

function changeOf(words: string, { data }: Story) {
  const summary = words || 'Change the files as the task says'
  const hypothesis = isHypothesisDue('change', data) && { hypothesis: summary }
  return { tool: submitChange.name, input: { summary, ...hypothesis } }
}

function planOf(words: string, { data }: Story) {
  const { text, acceptance_criteria = [text.slice(0, 2_000)], non_goals } = data.task
  const said = words || text.slice(0, 4_000)
  const hypothesis = isHypothesisDue('plan', data) && { hypothesis: said }
  const plan = { behaviour_change: said, acceptance_criteria, non_goals, slices: ['All of it at once'] }
  return { tool: submitPlan.name, input: { ...plan, files: [], tests: [], ...hypothesis } }
}

/**
 * Retries with a new process. Nobody knows how much the lost one heard, so the new one is told
 * everything, and from the second failure on in a new session.
 */
function afterFailure(turn: AgentTurn, { lane, patience }: TurnEnd, failure: AgentFailure): LaneStep {
  const { agent, failedCalls } = lane.data
  const tries = failedCalls + 1
  const session = tries > 1 ? null : turn.session
  const data = {
    ...lane.data,
    ...turn.counts,
    turn: lane.data.turn + 1,
    failedCalls: tries,
    rest: null,
    agent: { ...agent, session },
  }
  const isLast = tries >= limits.agentTurn.tries || failure.kind === 'missing' || failure.kind === 'unfit'
  if (isLast)
    return { event: 'again', data, messages: [], agentFailure: failure, request: { type: 'agent_failed', failure } }
  const delayMs = backoffMs(limits.agentTurn.pauses, tries, patience.clock.random())
  return { event: 'again', data, messages: [], agentFailure: failure, delayMs }
}

/**
 * The provider of the agent has failed: the lane waits for it or gives up, as a lane of Drydock's
 * own does.
 */
export async function afterProvider(
  turn: AgentTurn,
  ended: TurnEnd,
  { failure }: { readonly failure: Parameters<typeof failCall>[1] },
): Promise<LaneStep> {
  const data = { ...cutData(turn, ended), failedCalls: ended.lane.data.failedCalls }
  const step = await failCall(data, failure, ended.patience)
  const told: Message = {
    role: 'user',
    text: 'Your model could not be reached, which ended your turn. Go on where you were.',
  }
  return { ...step, messages: saidIn(turn, told) }
}

/** The lane after a turn that its session knows completely. */
function heardData(turn: AgentTurn, { lane, stored }: TurnEnd): AgentLane['lane']['data'] {
  const { data } = lane
  return {
    ...data,
    ...turn.counts,
    turn: data.turn + 1,
    failedCalls: 0,
    rest: null,
    heard: turn.heard ?? data.heard,
    calls: [],
    results: [],
    agent: { session: turn.session, told: stored + turn.added.length + wordsOf(turn).length, idle: 0 },
  }
}

/** The lane after a turn that was cut off: the contents of its session are uncertain. */
export function cutData(turn: AgentTurn, ended: TurnEnd): AgentLane['lane']['data'] {
  const { told } = ended.lane.data.agent
  return { ...heardData(turn, ended), agent: { session: turn.session, told, idle: 0, isCut: true } }
}

/** The messages that a turn adds to the conversation, with those about its end. */
export function saidIn(turn: AgentTurn, ...more: readonly Message[]): readonly Message[] {
  return [...turn.added, ...wordsOf(turn), ...more]
}

function wordsOf({ text }: AgentTurn): readonly Message[] {
  return text.trim() === '' ? [] : [{ role: 'assistant', text, calls: [] }]
}

export function stopped(data: Lane['data'], stop: LaneStop, words: string): LaneStep {
  const last = words.trim() === '' ? null : `its last words: ${words.trim().slice(-400)}`
  const request = { type: 'stopped', stop, cause: stopCause(data, stop), last } as const
  return { event: 'stopped', data, messages: [], request }
}
