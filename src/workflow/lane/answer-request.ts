import type { LaneRequest } from '../../agents/lane.ts'
import type { HandedOver } from '../../agents/tools/handed-over.ts'
import { agentOf, type Lane, writesTests } from '../../domain/lane/lane.ts'
import { turnsUsed } from '../../domain/lane/stop-cause.ts'
import type { Run, RunError } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { AgentFailure } from '../../ports/coding-agent.ts'
import { acceptReply } from '../architect/accept-reply.ts'
import { acceptQuotes } from '../architect/acceptance/accept-quotes.ts'
import { acceptTests } from '../architect/acceptance/accept-tests.ts'
import { acceptJudgement } from '../architect/acceptance/dispute.ts'
import { giveUp } from '../architect/acceptance/give-up.ts'
import { askArchitect } from '../architect/ask-architect.ts'
import { acceptSpec } from '../architect/interview/accept-spec.ts'
import { acceptScoping, acceptStories, refuseVague } from '../architect/plan-spec.ts'
import { askAboutModel } from '../chat/ask-about-model.ts'
import { acceptPlan } from '../editor/plan-story.ts'
import { acceptChange, acceptNoChange } from '../editor/submit-change.ts'
import { requireStory, storyOf } from '../machines.ts'
import { toRunError } from '../rest/park-run.ts'
import { askScout } from '../scout/ask-scout.ts'
import { acceptReport, failScoutTry } from '../scout/scout-query.ts'
import type { StoryDependencies, WorkspaceDependencies } from '../story/dependencies.ts'
import { keepStoryIfPossible } from '../story/keep-story.ts'
import { stopStory } from '../story/stop-story.ts'
import type { Decision } from './decision.ts'
import type { RequestDependencies } from './dependencies.ts'
import { stopLane } from './stop-lane.ts'

export interface LaneAnswerInput {
  readonly lane: Lane
  readonly run: Run
  readonly request: LaneRequest
}

/** Decides on a lane's request to the workflow: slow work is done here, the rest in the commit. */
export async function answerRequest(
  deps: RequestDependencies,
  asked: LaneAnswerInput,
  signal: AbortSignal,
): Promise<Decision> {
  const { lane, run, request } = asked
  switch (request.type) {
    case 'stopped':
      return stopLane(deps, { lane, run, request }, signal)
    case 'model_failed':
      return answerFailure(deps, { lane, run, request }, signal)
    case 'agent_failed':
      return answerAgentFailure(deps, { lane, run, failure: request.failure }, signal)
    case 'call':
      return answerCall(deps, { lane, run, call: request.call }, signal)
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

interface FailedRequest extends LaneAnswerInput {
  readonly request: Extract<LaneRequest, { type: 'model_failed' }>
}

/**
 * A permanent failure of a model stops the Run until somebody has fixed it. A scout is retried; an
 * editor's story ends if its conversation is too long. A human is asked about a model whose replies
 * do not end.
 */
async function answerFailure(
  deps: StoryDependencies,
  { lane, run, request: { error, isAsked } }: FailedRequest,
  signal: AbortSignal,
): Promise<Decision> {
  const asking = isAsked ? await askAboutModel(deps, { run, lane, error }, signal) : null
  if (asking !== null) return asking
  const agent = agentOf(lane.data.role)
  // Nobody waits for tests; but a model that a person has to fix still stops the Run.
  if (writesTests(lane.data.role) && !needsMending(error)) return giveUp(deps, lane, 'the model of its author failed')
  const lasting =
    error.unreachable ||
    error.exhausted ||
    [
      'auth',
      'unknown_model',
      'no_access',
      'no_tools',
      'prompt_truncated',
      'reply_truncated',
      'replay_missing',
    ].includes(error.kind)
  if (agent === 'scout' && (error.unreachable || !lasting)) {
    const failed = { run, lane, problem: `the model failed: ${error.message}`, wasHeard: false }
    // The lane itself has already used all its retries.
    return failScoutTry(deps, { ...failed, isLast: error.unreachable === true }, signal)
  }
  const story = await storyOf(deps.store, lane)
  if (story !== null && agent === 'editor' && error.kind === 'context_overflow') {
    const cause = `the model refused its conversation after ${turnsUsed(lane.data)} turns: ${error.message}`
    return stopStory(deps, { run, story, stop: { reason: 'context_overflow', cause } }, signal)
  }
  const failed = { error: toRunError(error, lane.data.key), why: 'the model failed' }
  return park(deps, { lane, run, story, ...failed }, signal)
}

/** True if this model answers again only after a person has acted. */
function needsMending({ kind, unreachable, exhausted }: FailedRequest['request']['error']): boolean {
  return unreachable === true || exhausted === true || ['auth', 'unknown_model', 'no_access', 'no_tools'].includes(kind)
}

interface ParkedLane {
  readonly lane: Lane
  readonly run: Run
  readonly story: Story | null
  readonly error: RunError
  readonly why: string
}

/** Stops the Run; the lane continues where it was when the Run is resumed. */
async function park(
  deps: WorkspaceDependencies,
  { lane, run, story, error, why }: ParkedLane,
  signal: AbortSignal,
): Promise<Decision> {
  const kept = run.data.policy.slot === 'story' ? 'nothing' : await keepStoryIfPossible(deps, story, { why, signal })
  return [
    { type: 'edit_lane', lane: lane.id, data: { failedCalls: 0, rest: null } },
    { type: 'park_run', run: run.id, machine: lane.id, error, kept },
  ]
}

interface FailedAgent {
  readonly lane: Lane
  readonly run: Run
  readonly failure: AgentFailure
}

/**
 * An agent that cannot be used at all stops the Run until somebody has fixed that; one that fails
 * again and again ends its story.
 */
async function answerAgentFailure(
  deps: StoryDependencies,
  { lane, run, failure }: FailedAgent,
  signal: AbortSignal,
): Promise<Decision> {
  const story = await requireStory(deps.store, lane)
  if (failure.kind !== 'missing' && failure.kind !== 'unfit') {
    const infra = { errorType: 'agent_failed', errorMessage: failure.message } as const
    return stopStory(deps, { run, story, stop: { infra } }, signal)
  }
  const failed = { error: agentUnusable(lane.data.key, failure), why: 'its agent cannot be used' }
  return park(deps, { lane, run, story, ...failed }, signal)
}

/** The error of an agent that cannot be used on this machine as it is installed and configured. */
function agentUnusable(lane: string, { message }: AgentFailure): RunError {
  return {
    code: 'agent_unusable',
    message: `${lane}: ${message}`,
    todo: 'Run `drydock doctor`, which lists the agents. Then: drydock resume',
  }
}

interface AnsweredCall {
  readonly lane: Lane
  readonly run: Run
  readonly call: HandedOver
}

async function answerCall(
  deps: RequestDependencies,
  { call, ...at }: AnsweredCall,
  signal: AbortSignal,
): Promise<Decision> {
  switch (call.tool) {
    case 'submit_plan':
      return acceptPlan(deps, { ...at, input: call.input }, signal)
    case 'submit_change':
      return acceptChange(deps, { ...at, input: call.input }, signal)
    case 'no_change':
      return acceptNoChange(deps, { ...at, input: call.input }, signal)
    case 'ask_scout':
      return askScout(deps, { ...at, input: call.input })
    case 'submit_report':
      return acceptReport(deps, { ...at, input: call.input }, signal)
    case 'ask_architect':
      return askArchitect(deps, { ...at, input: call.input }, signal)
    case 'submit_reply':
      return at.lane.data.role === 'architect_scoping'
        ? acceptScoping(deps, { ...at, input: call.input })
        : acceptReply(deps, { ...at, input: call.input }, signal)
    case 'too_vague':
      return refuseVague(deps, { ...at, input: call.input }, signal)
    case 'submit_acceptance_tests':
      return acceptTests(deps, { ...at, input: call.input }, signal)
    case 'submit_quotes':
      return acceptQuotes(deps, { ...at, input: call.input }, signal)
    case 'submit_judgement':
      return acceptJudgement(deps, { ...at, input: call.input }, signal)
    case 'ask_user':
      return [{ type: 'ask_user', run: at.run.id, lane: at.lane.id, questions: call.input.questions }]
    case 'submit_spec':
      return acceptSpec({ ...at, input: call.input })
    case 'submit_stories':
      return acceptStories({ ...at, input: call.input })
    case 'post_message':
      return [{ type: 'post_message', lane: at.lane, input: call.input }]
    default:
      throw new Error(`nothing answers ${call satisfies never}`)
  }
}
