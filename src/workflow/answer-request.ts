import type { Lane, LaneRequest } from '../agents/lane.ts'
import type { Run } from '../domain/run.ts'
import { askScout } from './ask-scout.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import type { Follow } from './follow.ts'
import { keepStory } from './keep-story.ts'
import { parkRun, toRunError } from './park-run.ts'
import { acceptPlan, stopStory } from './plan-story.ts'
import { acceptReport, failScoutTry } from './scout-query.ts'
import { acceptChange } from './submit-change.ts'

export interface LaneAsked {
  readonly lane: Lane
  readonly run: Run
  readonly request: LaneRequest
}

/** What follows for the workflow when a lane needs it: the slow part is done here, the rest in the commit. */
export async function answerRequest(
  deps: WorkflowDependencies,
  asked: LaneAsked,
  signal: AbortSignal,
): Promise<Follow> {
  const { lane, run, request } = asked
  const scouting = lane.data.role === 'codebase_scout' || lane.data.role === 'build_scout'
  switch (request.type) {
    case 'stopped':
      if (scouting)
        return failScoutTry(
          deps,
          { run, lane, problem: [request.stop, request.last].filter(Boolean).join(', ') },
          signal,
        )
      return stopStory(deps, { run, stop: { reason: request.stop, last: request.last } }, signal)
    case 'model_failed': {
      const lasting = ['auth', 'unknown_model', 'replay_missing'].includes(request.error.kind)
      const problem = `the model failed: ${request.error.message}`
      if (scouting && !lasting) return failScoutTry(deps, { run, lane, problem }, signal)
      if (request.error.kind === 'context_overflow') {
        return stopStory(deps, { run, stop: { reason: 'context_overflow' } }, signal)
      }
      const kept = await keepStory(deps, run.id, signal)
      return async (tx, current) => {
        const rested = await tx.updateMachine(current, {
          state: current.state,
          data: { ...current.data, failedCalls: 0 },
        })
        const error = toRunError(request.error, lane.data.key)
        await parkRun(tx, deps.slots, { run: run.id, machine: rested.id, error, kept })
      }
    }
    case 'call':
      return answerCall(deps, { lane, run, call: request.call.tool, input: request.input }, signal)
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

interface Called {
  readonly lane: Lane
  readonly run: Run
  readonly call: string
  readonly input: unknown
}

async function answerCall(
  deps: WorkflowDependencies,
  { lane, run, call, input }: Called,
  signal: AbortSignal,
): Promise<Follow> {
  switch (call) {
    case 'submit_plan':
      return acceptPlan(deps, { run, input }, signal)
    case 'submit_change':
      return acceptChange(deps, { run, lane, input }, signal)
    case 'ask_scout':
      return askScout(deps, { run, lane, input })
    case 'submit_report':
      return acceptReport(deps, { run, lane, input }, signal)
    default:
      throw new Error(`nothing answers ${call}`)
  }
}
