import { startOfCommand } from '../../agents/answer-call.ts'
import { conversationOf, noConversation } from '../../agents/conversation.ts'
import type { LaneDependencies, LaneStep } from '../../agents/lane.ts'
import { advanceLane, answersAhead, endOf } from '../../agents/tool-loop.ts'
import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { agentNameOf } from '../../domain/model-name.ts'
import type { Amount } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import type { ToolExecution } from '../../ports/rows.ts'
import { type Records, StaleVersion, type Transaction } from '../../ports/store.ts'
import { architectContext, mirrorOf } from '../architect/architect-context.ts'
import { newsFor } from '../chat/post-message.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { AgentDependencies } from '../editor/agent/dependencies.ts'
import { runAgentLane } from '../editor/agent/run-agent-lane.ts'
import { dueGuides } from '../guide/due-guides.ts'
import { load, runOf } from '../machines.ts'
import { pauseLane } from '../rest/pause-lane.ts'
import { answerRequest } from './answer-request.ts'
import { applyDecision } from './apply-decision.ts'
import { commitStep } from './commit-step.ts'
import type { ContextDependencies, ConversationDependencies } from './dependencies.ts'
import { withFilesBeside } from './files-beside.ts'
import { type LaneContext, toolContext } from './lane-context.ts'
import { amountOf, costOf, type ReserveResult, reserve, reserveCall, settlementOf } from './reserve-call.ts'
import { type AskingLane, withModel, withStandIn } from './stand-in.ts'

/** Takes one step of a lane and commits it together with its consequences for the story. */
export async function runLane(
  deps: ConversationDependencies & AgentDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const stored = await load(deps.store, 'lane', id)
  // The lane was ended while its step was parked with its Run.
  if (stored.state === 'ENDED') {
    await commit(() => Promise.resolve())
    return
  }
  const run = await runOf(deps.store, stored)
  deps.baseVerdicts.beside(stored)
  const named = withModel(stored, run, deps.clock.now())
  const name = agentNameOf(named.model)
  if (name !== null) return runAgentLane(deps, { lane: named, run, name }, commit, signal)
  const asking = withoutAgent(named)
  const lanes = await laneDependencies(deps, asking, run)
  // A look may find progress before the lane is stopped for lack of it.
  const lane = stored.state === 'ASKING' ? await deps.looks.last(asking, lanes, signal) : asking
  if (lane.state !== 'ASKING' || endOf(lane.data) !== null) {
    await takeStep(deps, { lane, run, lanes }, commit, signal)
    return
  }
  const calling = { lane, model: lanes.model, tokens: lanes.conversation.tokens }
  const reserved = deps.ahead.take(id) ? ({ ok: true } as const) : await reserveCall(deps, calling)
  if (!reserved.ok) {
    await commit((tx) => waitForBudget(tx, deps, lane, reserved))
    return
  }
  // Other looks run during the model's call.
  deps.looks.begin(lane, lanes)
  // Opens the sandbox after the request was sent. If that fails, the call that needs it reports the
  // error.
  setImmediate(() => void lanes.openBeside().catch(() => undefined))
  const isCommitted = await takeStep(deps, { lane, run, lanes }, commit, signal).catch(async (error: unknown) => {
    await deps.engine.transact((tx) => tx.settle(lane.id, 'lost'))
    throw error
  })
  if (!isCommitted) await deps.engine.transact((tx) => tx.settle(lane.id, 'lost'))
}

/** Replaces a foreign agent by a model of Drydock's own, which continues with all tools. */
function withoutAgent({ data: { agent: _, ...data }, ...lane }: AskingLane): AskingLane {
  return { ...lane, data }
}

type Dependencies = LaneDependencies & LaneContext

interface Stepping {
  readonly lane: Lane
  readonly run: Run
  readonly lanes: Dependencies
}

async function takeStep(
  deps: ConversationDependencies,
  { lane, run, lanes }: Stepping,
  commit: Commit,
  signal: AbortSignal,
): Promise<boolean> {
  const begun = lane.state === 'ACTING' ? await deps.readsAhead.take(lane, signal) : null
  const advanced = await advanceLane(lane, lanes, signal, begun)
  const looked = { ...advanced, data: deps.looks.taken(lane.id, advanced.data) }
  const now = deps.clock.now()
  const { step, note, isReplaced } = withStandIn(looked, { lane, run, now })
  const [decision, costMicroUsd] = await Promise.all([
    step.request ? answerRequest(deps, { lane, run, request: step.request }, signal) : null,
    step.modelCall ? costOf(deps, step.modelCall) : null,
  ])
  // Records stored ahead for this step have served their purpose.
  deps.ahead.take(lane.id)
  const isNext = deps.ahead.isAllowed && decision === null && step.delayMs === undefined && !isReplaced
  const ahead = isNext ? await prepareAhead(deps, { lane, lanes, step }) : null
  if (isNext && step.event === 'called') {
    const replied: Lane = { ...lane, state: 'ACTING', data: step.data }
    deps.readsAhead.begin(replied, (reading) => answersAhead(replied, lanes, reading))
  }
  let isCommitted = false
  try {
    isCommitted = await commit(async (tx) => {
      // A lost transaction may have set the mark, so the mark is dropped first.
      deps.ahead.take(lane.id)
      if (lane.state === 'ASKING') await tx.settle(lane.id, settlementOf(step.modelCall, step.failure))
      const again = step.delayMs === undefined ? 'queue' : new Date(now.getTime() + step.delayMs)
      await commitStep(tx, lane, step, { costMicroUsd, next: decision ? 'rest' : again })
      await applyDecision(tx, deps, [...(decision ?? []), ...note])
      if (await storeAhead(tx, lane, ahead)) deps.ahead.note(lane.id)
    })
    if (isCommitted) deps.laneMessages.add(lane.id, step.messages)
    if (costMicroUsd !== null) deps.live.spent(lane, costMicroUsd)
    if (decision !== null) deps.live.over(lane.id)
    return isCommitted
  } finally {
    if (!isCommitted) {
      deps.ahead.take(lane.id)
      deps.readsAhead.drop(lane.id)
    }
  }
}

type StoredAhead = { readonly execution: ToolExecution } | { readonly amount: Amount }

/** The record that the lane's next step stores before it acts. */
async function prepareAhead(
  deps: Pick<WorkflowDependencies, 'clock' | 'laneMessages' | 'prices'>,
  { lane, lanes, step }: Pick<Stepping, 'lane' | 'lanes'> & { readonly step: LaneStep },
): Promise<StoredAhead | null> {
  const { data, event } = step
  if (event === 'called' || event === 'call_answered') {
    const execution = startOfCommand({ ...lane, data }, deps.clock.now())
    return execution && { execution }
  }
  if ((event !== 'all_answered' && event !== 'again') || endOf(data) !== null) return null
  const stored = [...(await deps.laneMessages.of(lane.id)), ...step.messages]
  const { tokens } = conversationOf(data, stored)
  return { amount: await amountOf(deps, { model: lanes.model, tokens }) }
}

/**
 * Stores the record of the next call together with the current step. Returns false, storing
 * nothing, if the amount exceeds the budget; the call requests it again when it is due.
 */
async function storeAhead(tx: Transaction, lane: Lane, ahead: StoredAhead | null): Promise<boolean> {
  if (ahead === null) return false
  if ('amount' in ahead) return (await reserve(tx, { lane, amount: ahead.amount })) === 'reserved'
  await tx.startTool(ahead.execution)
  return true
}

async function waitForBudget(
  tx: Transaction,
  deps: Pick<WorkflowDependencies, 'clock'>,
  lane: Lane,
  { cap, wanted, isWaiting }: Extract<ReserveResult, { ok: false }>,
): Promise<void> {
  if (!isWaiting) return pauseLane(tx, deps, { lane, cap, wanted })
  const again = new Date(deps.clock.now().getTime() + limits.budgetWaitMs)
  await tx.move(lane, 'again', { next: again })
}

async function laneDependencies(deps: ConversationDependencies, lane: AskingLane, run: Run): Promise<Dependencies> {
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  const isAsking = lane.state === 'ASKING'
  const model = deps.model(lane.model)
  const conversation = isAsking ? conversationOf(lane.data, await deps.laneMessages.of(lane.id)) : noConversation
  return {
    model,
    contextWindow: isAsking && model.contextWindow ? await model.contextWindow() : null,
    clock: deps.clock,
    redact: deps.redact,
    live: deps.live,
    patience: {
      clock: deps.clock,
      hasAnswered: () => deps.store.hasAnswered(run.id, providerOf(model.id)),
      maxWaitMs: (run.data.maxWaitSec ?? limits.maxWaitSec) * 1_000,
    },
    conversation,
    guides: isAsking ? await dueGuides(deps, { lane, run, stored: conversation.stored }) : null,
    news: isAsking ? await newsFor(deps.store, lane) : null,
    ...(await contextOf(deps, lane, run)),
    callOutside: (tool, input, signal) => deps.laneServers.call({ lane, tool, input }, signal),
    toolTimeoutSec: run.data.config.toolTimeoutSec,
    started: async (turn, index) => (deps.ahead.has(lane.id) ? null : deps.store.toolExecution(lane.id, turn, index)),
    async start(execution) {
      if (deps.ahead.take(lane.id)) await requireCurrent(deps.store, lane)
      else {
        await deps.engine.transact(async (tx) => {
          await requireCurrent(tx, lane)
          await tx.startTool(execution)
        })
      }
    },
  }
}

async function contextOf(deps: ContextDependencies, lane: Lane, run: Run): Promise<LaneContext> {
  const open = agentOf(lane.data.role) === 'architect' ? architectContext : toolContext
  const context = await open(deps, lane, run)
  const mirror = (signal: AbortSignal) => mirrorOf(deps, signal)
  return { ...context, ...(await withFilesBeside(deps, lane, { ...context, mirror })) }
}

/** A call must not start for a lane that another process has taken. */
async function requireCurrent(records: Records, { id, version }: Lane): Promise<void> {
  if ((await load(records, 'lane', id)).version !== version) throw new StaleVersion(id, version)
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf(':'))
}
