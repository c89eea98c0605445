import { checkCall } from '../../../agents/answer-call.ts'
import type { LaneStep } from '../../../agents/lane.ts'
import { startedRow } from '../../../agents/started-row.ts'
import { endOf, takeResult } from '../../../agents/tool-loop.ts'
import { handedOver } from '../../../agents/tools/handed-over.ts'
import { freshAgent, type Lane } from '../../../domain/lane/lane.ts'
import { limits } from '../../../domain/limits.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Commit } from '../../../ports/engine.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { answerRequest } from '../../lane/answer-request.ts'
import { applyDecision } from '../../lane/apply-decision.ts'
import { commitStep } from '../../lane/commit-step.ts'
import type { LaneStepDependencies } from '../../lane/dependencies.ts'
import { requireStory } from '../../machines.ts'
import { pauseLane } from '../../rest/pause-lane.ts'
import type { StepDependencies } from '../../step-dependencies.ts'
import { afterProvider, called, cutData, saidIn, stepAfter, stopped, type TurnEnd } from './after-turn.ts'
import type { AgentLane, AgentTurn } from './agent-turn.ts'
import type { AgentDependencies } from './dependencies.ts'
import { playTurn } from './play-turn.ts'
import { lastSession, nextObserved, repliesSeen } from './turn-records.ts'
import { acceptedIndex, storedCall } from './turn-tools.ts'

interface AgentLaneInput {
  readonly lane: Lane
  readonly run: Run
  readonly name: string
}

/**
 * Takes one step of a lane whose editor is a foreign agent: a whole turn, or the call that ended
 * the turn. The consequences are those of a model of Drydock's own.
 */
export async function runAgentLane(
  deps: LaneStepDependencies & AgentDependencies,
  { lane: given, run, name }: AgentLaneInput,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const lane = { ...given, data: { ...given.data, agent: given.data.agent ?? freshAgent } }
  const at = { lane, run, name }
  if (lane.state === 'ACTING') return commitAgentStep(deps, at, handOver(deps, lane), { commit, signal })
  const ended = await endedOf(deps, at)

  // The previous process ended after it had accepted this call.
  const accepted = await deps.store.toolExecution(lane.id, lane.data.turn, acceptedIndex)
  if (accepted !== null) {
    const step = called(await unseenTurn(deps, at), ended, storedCall(accepted))
    return commitAgentStep(deps, at, step, { commit, signal })
  }
  const end = endOf(lane.data)
  if (end !== null) return commitAgentStep(deps, at, stopped(lane.data, end, ''), { commit, signal })
  const turn = await playTurn(deps, at, signal)
  if (turn.end.type === 'obstacle') return obstructed(deps, { ...at, turn, ended }, { commit, signal })
  await commitAgentStep(deps, at, stepAfter(turn, ended), { commit, signal })
}

interface Committing {
  readonly commit: Commit
  readonly signal: AbortSignal
}

async function commitAgentStep(
  deps: LaneStepDependencies,
  { lane, run, name }: AgentLane,
  step: LaneStep,
  { commit, signal }: Committing,
): Promise<void> {
  // The decision sees the lane with the turn's usage included.
  const used = { ...lane, data: step.data }
  const decision = step.request ? await answerRequest(deps, { lane: used, run, request: step.request }, signal) : null
  const now = deps.clock.now()
  const isCommitted = await commit(async (tx) => {
    // The turn is over, so nobody will see the end of a call that is still open.
    await tx.settle(lane.id, 'lost')
    const again = step.delayMs === undefined ? 'queue' : new Date(now.getTime() + step.delayMs)
    await commitStep(tx, lane, step, { costMicroUsd: null, next: decision ? 'rest' : again })
    const { failedCalls: tries } = step.data
    if (step.agentFailure !== undefined) {
      const data = { lane: lane.data.key, agent: name, ...step.agentFailure, tries }
      await tx.appendEvent({ run: lane.run, story: lane.story, type: 'agent_failed', data })
    }
    if (decision) await applyDecision(tx, deps, decision)
  })
  if (isCommitted) deps.laneMessages.add(lane.id, step.messages)
}

/** The call was checked when it was accepted; earlier calls of the editor are not run. */
function handOver({ clock }: Pick<WorkflowDependencies, 'clock'>, lane: Lane): LaneStep {
  const index = lane.data.results.length
  const call = lane.data.calls[index]
  if (call === undefined) throw new Error(`lane ${lane.id} is ${lane.state} without a call`)
  const checked = checkCall({ lane, call })
  if ('tool' in checked && (checked.tool.kind === 'wait' || checked.tool.kind === 'terminal')) {
    const request = { type: 'call', call: handedOver(checked.tool, checked.input) } as const
    const execution = startedRow({ lane, index, call }, clock.now())
    return { event: 'handed_over', data: lane.data, messages: [], toolExecutions: [execution], request }
  }
  const output = 'outcome' in checked ? checked.outcome.output : '(not run: another editor goes on)'
  return takeResult(lane.data, { callId: call.id, tool: call.tool, output, ok: false })
}

interface ObstacleInput extends AgentLane {
  readonly turn: AgentTurn
  readonly ended: TurnEnd
}

/** Handles a budget or a provider that blocks the agent's model. */
async function obstructed(
  deps: LaneStepDependencies,
  { turn, ended, ...at }: ObstacleInput,
  committing: Committing,
): Promise<void> {
  if (turn.end.type !== 'obstacle') throw new Error(`${turn.end.type} is no obstacle`)
  const { obstacle } = turn.end
  if (obstacle.type === 'no_price') throw obstacle.error
  if (obstacle.type === 'provider') {
    return commitAgentStep(deps, at, await afterProvider(turn, ended, obstacle), committing)
  }
  const data = cutData(turn, ended)
  const told = {
    role: 'user' as const,
    text: 'The budget was used up, which ended your turn. It has been raised. Go on where you were.',
  }
  const messages = saidIn(turn, told)
  const isCommitted = await committing.commit(async (tx) => {
    await tx.settle(at.lane.id, 'lost')
    await tx.appendMessages(at.lane.id, messages)
    const kept = { ...at.lane, data }
    await pauseLane(tx, deps, { lane: kept, cap: obstacle.cap, wanted: obstacle.wanted })
  })
  if (isCommitted) deps.laneMessages.add(at.lane.id, messages)
}

async function endedOf(
  deps: StepDependencies & Pick<WorkflowDependencies, 'laneMessages' | 'foreign'>,
  { lane, run, name }: AgentLane,
): Promise<TurnEnd> {
  const { store, clock, laneMessages, foreign } = deps
  const [story, stored, { provider }] = await Promise.all([
    requireStory(store, lane),
    laneMessages.of(lane.id),
    foreign.settings(name),
  ])
  const maxWaitMs = (run.data.maxWaitSec ?? limits.maxWaitSec) * 1_000
  // Without a gateway the agent's model calls are invisible.
  const hasAnswered = async () => provider === null || store.hasAnswered(run.id, provider)
  return { lane, story, stored: stored.length, patience: { clock, hasAnswered, maxWaitMs } }
}

/** A turn whose process died: only its stored part is known. */
async function unseenTurn(
  { store, foreign }: Pick<WorkflowDependencies, 'store' | 'foreign'>,
  { lane, name }: AgentLane,
): Promise<AgentTurn> {
  const [{ session, begunAt }, observed, { provider }] = await Promise.all([
    lastSession(store, lane),
    nextObserved(store, lane),
    foreign.settings(name),
  ])
  const seen = await repliesSeen(store, lane, { begunAt, countsTools: provider === null, observed })
  const { iterations, repeated, progress } = lane.data
  const counts = { iterations: iterations + Math.max(1, seen), repeated, progress }
  return { end: { type: 'idle' }, session, added: [], heard: null, text: '', counts }
}
