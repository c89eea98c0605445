import type { LaneData } from '../../domain/lane/lane.ts'
import { nextRequest, requestsLeft } from '../../domain/lane/next-request.ts'
import { terminalToolOf } from '../tools/registry.ts'

/**
 * The tagged message that goes with every request near the limit (seed: architect-read-access, soft
 * limit); null until then.
 */
export function warningFor(lane: Pick<LaneData, 'iterations' | 'limits' | 'progress' | 'role'>): string | null {
  const kind = nextRequest(lane)
  if (kind === 'plain') return null
  const left = requestsLeft(lane)
  const tool = terminalToolOf(lane.role).name
  const rule =
    kind === 'terminal_only'
      ? `Every call except \`${tool}\` is now refused.`
      : `Finish now and call \`${tool}\` with what you have.`
  return `<iteration_limit>You have reached your iteration limit: ${left === 1 ? 'this is your last turn' : `${left} turns are left`}. ${rule} Without it a human has to take over.</iteration_limit>`
}

export function isWarning(text: string): boolean {
  return text.startsWith('<iteration_limit>')
}
