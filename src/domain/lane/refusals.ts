import { limits } from '../limits.ts'
import type { LaneData } from './lane.ts'

interface Refused {
  readonly tool: string
  /** The words of the answer: the same reason has the same words. */
  readonly reason: string
}

/** Reasons that a lane remembers, and characters of each. */
const most = 20
const chars = 300

/** How often this lane's call of the tool was refused for this reason. */
function refusalsFor({ refusals = {} }: Pick<LaneData, 'refusals'>, refused: Refused): number {
  return refusals[keyOf(refused)] ?? 0
}

/** One more refusal for this reason, which is the newest then. */
export function withRefusal(lane: Pick<LaneData, 'refusals'>, refused: Refused): NonNullable<LaneData['refusals']> {
  const key = keyOf(refused)
  const others = Object.entries(lane.refusals ?? {}).filter(([known]) => known !== key)
  return Object.fromEntries([...others, [key, refusalsFor(lane, refused) + 1] as const].slice(-most))
}

/** Whether a terminal call was refused for this reason as often as it may be. */
export function isRefusedEnough(lane: Pick<LaneData, 'refusals'>, refused: Refused): boolean {
  return refusalsFor(lane, refused) >= limits.terminalRefusals
}

function keyOf({ tool, reason }: Refused): string {
  return `${tool}: ${reason.slice(0, chars)}`
}
