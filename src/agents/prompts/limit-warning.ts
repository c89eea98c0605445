import type { AskKind, LaneData } from '../../domain/lane/lane.ts'
import { terminalToolOf } from '../tools/registry.ts'

/**
 * The tagged message that goes with every request near the limit (seed: architect-read-access, soft
 * limit).
 */
export function warning(
  lane: Pick<LaneData, 'iterations' | 'limits' | 'role'>,
  kind: Exclude<AskKind, 'plain' | 'never'>,
): string {
  const left = lane.limits.hard - 1 - lane.iterations
  const tool = terminalToolOf(lane.role).name
  const rule =
    kind === 'terminal_only'
      ? `Every call but \`${tool}\` is refused now.`
      : `Finish now and call \`${tool}\` with what you have.`
  return `<iteration_limit>You have reached your iteration limit: ${left === 1 ? 'this is your last turn' : `${left} turns are left`}. ${rule} Without it a human has to take over.</iteration_limit>`
}

export function isWarning(text: string): boolean {
  return text.startsWith('<iteration_limit>')
}
