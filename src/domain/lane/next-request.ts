import { limits } from '../limits.ts'
import type { LaneData, LaneLimits } from './lane.ts'
import { idleTurns, isNearStandstill, turnsWithout } from './progress.ts'

/** Limits of a scout's lane, whose question has `left` requests. */
export function scoutLimits(left: number = limits.scoutRequests): LaneLimits {
  const hard = Math.min(limits.scoutHard, left + 1)
  const refuseFrom = Math.min(limits.scoutSoft + limits.softGrace, hard - lastTurns(hard - 1))
  return { warnFrom: Math.min(limits.scoutSoft, refuseFrom), refuseFrom, hard }
}

/**
 * Limits with a warning from `soft` on, only the terminal tool from `soft` plus a grace on, and no
 * request at `hard`.
 */
export function softAndHard({ soft, hard }: { readonly soft: number; readonly hard: number }): LaneLimits {
  return { warnFrom: soft, refuseFrom: Math.min(hard, soft + limits.softGrace), hard }
}

/**
 * Limits of an editor with `iterations` requests, of which `idle` may bring nothing new, or as many
 * in a row as its guard allows. The last two come with a warning and accept only terminal tools.
 */
export function editorLimits(iterations: number, withoutProgress?: number, idle: number = iterations): LaneLimits {
  const hard = iterations + 1
  return {
    warnFrom: Math.max(1, hard - limits.lastTurns),
    refuseFrom: hard - lastTurns(iterations),
    hard,
    idle: Math.min(iterations, Math.max(idle, withoutProgress ?? 0)),
    withoutProgress,
  }
}

/** The last requests, for terminal tools alone; none if there are few requests. */
function lastTurns(requests: number): number {
  return requests < 2 * limits.lastTurns ? 0 : limits.lastTurns
}

type AskKind = 'plain' | 'warned' | 'terminal_only' | 'never'

type Asking = Pick<LaneData, 'iterations' | 'limits' | 'progress'>

/** The kind of the lane's next model request. Requests count from 1. */
export function nextRequest(lane: Asking): AskKind {
  const { hard, refuseFrom, warnFrom, idle = Number.POSITIVE_INFINITY } = lane.limits
  const request = lane.iterations + 1
  const idleLeft = idle - idleTurns(lane)
  if (request >= hard || idleLeft <= 0) return 'never'
  if (request >= refuseFrom || idleLeft <= lastTurns(idle)) return 'terminal_only'
  if (isNearStandstill(lane, lane.limits.withoutProgress)) return 'terminal_only'
  if (request >= warnFrom) return 'warned'
  return 'plain'
}

/** Requests left, if none of them brings anything new. */
export function requestsLeft(lane: Asking): number {
  const { hard, idle = hard, withoutProgress = hard } = lane.limits
  return Math.min(hard - 1 - lane.iterations, idle - idleTurns(lane), withoutProgress - turnsWithout(lane))
}
