import { limits } from '../limits.ts'
import type { LaneData } from './lane.ts'

interface RefusedCall {
  readonly tool: string
  /** The text of the answer, which identifies the reason. */
  readonly reason: string
}

/** Bounds: reasons that a lane remembers, and characters of each. */
const most = 20
const chars = 300

/** The number of times that this lane's call of the tool was refused for this reason. */
function refusalsFor({ refusals = {} }: Pick<LaneData, 'refusals'>, refused: RefusedCall): number {
  return refusals[keyOf(refused)] ?? 0
}

/** Counts one more refusal for this reason, and makes it the newest. */
export function withRefusal(lane: Pick<LaneData, 'refusals'>, refused: RefusedCall): NonNullable<LaneData['refusals']> {
  const key = keyOf(refused)
  const others = Object.entries(lane.refusals ?? {}).filter(([known]) => known !== key)
  return Object.fromEntries([...others, [key, refusalsFor(lane, refused) + 1] as const].slice(-most))
}

/** True if a terminal call was refused for this reason as often as the limit allows. */
export function isRefusedEnough(lane: Pick<LaneData, 'refusals'>, refused: RefusedCall): boolean {
  return refusalsFor(lane, refused) >= limits.terminalRefusals
}

function keyOf({ tool, reason }: RefusedCall): string {
  return `${tool}: ${reason.slice(0, chars)}`
}
