import { shortOf } from '../../agents/last-calls.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { isRefusedEnough } from '../../domain/lane/refusals.ts'
import { stopCause } from '../../domain/lane/stop-cause.ts'
import type { Run } from '../../domain/run/run.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { Decision } from './decision.ts'
import { stopLane } from './stop-lane.ts'

interface Refusing {
  readonly run: Run
  readonly lane: Lane
  /** The reason why the call is refused, and advice. */
  readonly output: string
}

/**
 * Tells the lane why its terminal call is refused. After two refusals that did not help, the lane
 * ends, and its reviewer reads the refusal.
 */
export async function refuseCall(
  deps: StoryDependencies,
  { run, lane, output }: Refusing,
  signal: AbortSignal,
): Promise<Decision> {
  const answer = { lane: lane.id, output, ok: false, isRefusal: true } as const
  if (!isRefusedBefore(lane, output)) return [{ type: 'answer_lane', answer }]
  const last = shortOf({ tool: toolOf(lane), output })
  const request = { type: 'stopped', stop: 'refused', cause: stopCause(lane.data, 'refused'), last } as const
  return [
    { type: 'answer_lane', answer: { ...answer, hold: true } },
    { type: 'stop_lane', lane: lane.id },
    ...(await stopLane(deps, { run, lane, request }, signal)),
  ]
}

/** True if the waiting call was already refused for this reason as often as allowed. */
export function isRefusedBefore(lane: Lane, output: string): boolean {
  return isRefusedEnough(lane.data, { tool: toolOf(lane), reason: output })
}

function toolOf({ data: { calls, results } }: Lane): string {
  return calls[results.length]?.tool ?? ''
}
