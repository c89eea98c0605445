import type { Lane, LaneDependencies, LaneStep } from '../agents/lane.ts'
import { advanceLane } from '../agents/tool-loop.ts'
import { agentOf } from '../domain/lane.ts'
import type { Run } from '../domain/run.ts'
import type { Commit } from '../ports/engine.ts'
import { StaleVersion, type Transaction } from '../ports/store.ts'
import { answerRequest } from './answer-request.ts'
import { architectContext } from './architect-context.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { toolContext } from './lane-context.ts'
import { load } from './machines.ts'
import { newsFor } from './post-message.ts'

/** One step of a lane, and what follows from it for the story, in one commit. */
export async function runLane(
  deps: WorkflowDependencies,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const lane = await load(deps.store, 'lane', id)
  const run = await load(deps.store, 'run', lane.run)
  const step = await advanceLane(lane, await laneDependencies(deps, lane, run), signal)
  const follow = step.request ? await answerRequest(deps, { lane, run, request: step.request }, signal) : null
  const now = deps.clock.now()
  await commit(async (tx) => {
    const next = await commitStep(tx, lane, step)
    if (follow) await follow(tx, next)
    else await tx.enqueue(next, step.delayMs === undefined ? undefined : new Date(now.getTime() + step.delayMs))
  })
}

async function laneDependencies(deps: WorkflowDependencies, lane: Lane, run: Run): Promise<LaneDependencies> {
  if (run.data.config === null) throw new Error(`run ${run.id} has not started`)
  const isAsking = lane.state === 'ASKING'
  const context = agentOf(lane.data.role) === 'architect' ? architectContext : toolContext
  return {
    model: deps.model(modelOf(lane, run)),
    clock: deps.clock,
    messages: isAsking ? await deps.store.messages(lane.id) : [],
    news: isAsking ? await newsFor(deps.store, lane) : null,
    ...(await context(deps, lane, run)),
    toolTimeoutSec: run.data.config.toolTimeoutSec,
    started: (turn, index) => deps.store.toolExecution(lane.id, turn, index),
    start: (execution) =>
      deps.engine.transact(async (tx) => {
        const current = await load(tx, 'lane', lane.id)
        if (current.version !== lane.version) throw new StaleVersion(lane.id, lane.version)
        await tx.startTool(execution)
      }),
  }
}

function modelOf(lane: Lane, { id, data: { models } }: Run): string {
  const model = models?.[agentOf(lane.data.role)] ?? null
  if (model === null) throw new Error(`run ${id} has no model for ${lane.data.role}`)
  return model
}

/** The step itself: the lane's state, what was said, and the records of the call. */
async function commitStep(tx: Transaction, lane: Lane, step: LaneStep): Promise<Lane> {
  const next = await tx.updateMachine(lane, { state: step.state, data: step.data })
  await tx.appendMessages(lane.id, step.messages)
  const { run, story } = lane
  const key = lane.data.key
  const { modelCall, toolExecution } = step
  if (modelCall) {
    await tx.insertModelCall(modelCall)
    const { turn, stop, error, usage } = modelCall
    const tokens = usage ? usage.input + usage.output : null
    await tx.appendEvent({ run, story, type: 'model_call', data: { lane: key, turn, stop, error, tokens } })
  }
  if (!toolExecution) return next
  const { turn, tool, success } = toolExecution
  if (toolExecution.finishedAt === null) await tx.startTool(toolExecution)
  else {
    await tx.finishTool(toolExecution)
    await tx.appendEvent({ run, story, type: 'tool', data: { lane: key, turn, tool, ok: success } })
  }
  return next
}
