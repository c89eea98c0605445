import { randomUUID } from 'node:crypto'
import { isEnded, isHeld as isPausedByHand } from '../../domain/run/run.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import { isUnfinished, lookUp } from '../views/find/find-work.ts'
import { type HandedOver, handOver } from './hand-over.ts'

interface Raised {
  readonly run: string
  /** It was paused by hand, and stays so. */
  readonly isHeld: boolean
  readonly handed: HandedOver
}

/** Allows a Run more, the last unfinished one without an id. DrydockError `bad_usage`. */
export async function raiseBudget(
  drydock: Drydock,
  id: string | undefined,
  more: { readonly runUsd: number; readonly runTokens: number },
): Promise<Raised> {
  const { run } = await lookUp(drydock, id, isUnfinished)
  if (isEnded(run.state)) throw usage(`${run.id} has ended: ${run.state}.`, 'See what it cost: drydock budget')
  if (run.data.base === null) {
    throw usage(`${run.id} has not started and has no budget yet.`, 'Set it in your config.json: "budget": { … }')
  }
  const raise = { ...more, storyUsd: 0 }
  const handed = await handOver(drydock, `budget/${randomUUID()}`, { kind: 'budget', run: run.id, raise })
  return { run: run.id, isHeld: isPausedByHand(run), handed }
}
