import type { LaneRequest } from '../../agents/lane.ts'
import { agentOf, type Lane, writesTests } from '../../domain/lane/lane.ts'
import type { Run } from '../../domain/run/run.ts'
import { giveUp } from '../architect/acceptance/give-up.ts'
import { escalateLane } from '../chat/escalate-lane.ts'
import { handInFor } from '../editor/hand-in-for.ts'
import { failScoutTry } from '../scout/scout-query.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { stopEditor } from '../story/stop-story.ts'
import type { Decision } from './decision.ts'

interface StoppedLane {
  readonly lane: Lane
  readonly run: Run
  readonly request: Extract<LaneRequest, { type: 'stopped' }>
}

/**
 * Handles a stopped lane: a scout is retried, and about the architect a human is asked. If the
 * editor only talked, its change is taken as it is; any other story ends or is reviewed.
 */
export async function stopLane(
  deps: StoryDependencies,
  { lane, run, request }: StoppedLane,
  signal: AbortSignal,
): Promise<Decision> {
  const agent = agentOf(lane.data.role)
  switch (agent) {
    case 'scout': {
      const problem = [request.stop, request.last].filter(Boolean).join(', ')
      return failScoutTry(deps, { run, lane, problem, wasHeard: true }, signal)
    }
    case 'architect':
      if (writesTests(lane.data.role)) return giveUp(deps, lane, 'its author did not come to an end')
      return escalateLane(deps, { run, lane, request })
    case 'editor': {
      const handedIn = request.stop === 'words_only' ? await handInFor(deps, lane, signal) : null
      return handedIn ?? stopEditor(deps, { run, lane, request }, signal)
    }
    default:
      throw new Error(`unknown agent ${agent satisfies never}`)
  }
}
