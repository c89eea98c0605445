import { randomUUID } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import { pausedHow } from '../../domain/run/pause-cause.ts'
import { isHeld, isPausable, type Run } from '../../domain/run/run.ts'
import type { Drydock } from '../drydock.ts'
import { type HandedOver, handOver } from './hand-over.ts'

/**
 * Asks for the pause of a Run. Throws DrydockError `already_done` when nothing of the Run continues
 * anyway.
 */
export async function givePause(drydock: Drydock, run: Run): Promise<HandedOver> {
  if (isPaused(run)) throw alreadyPaused(run)
  if (!isPausable(run)) {
    const state = run.state === 'ERROR' ? 'stopped in ERROR' : `ended: ${run.state}`
    throw new DrydockError('already_done', `${run.id} has ${state}. There is nothing to pause.`, {
      todo: run.state === 'ERROR' ? `Continue with: drydock resume ${run.id}` : 'See: drydock report',
    })
  }
  return handOver(drydock, `pause/${randomUUID()}`, { kind: 'pause', run: run.id })
}

/** Whether nothing of the Run continues, now or after the steps in progress. */
export function isPaused(run: Run): boolean {
  return !isPausable(run) && (run.state === 'PAUSED' || isHeld(run))
}

export function alreadyPaused(run: Run): DrydockError {
  const { id, state } = run
  const why = isHeld(run) ? pausedHow(run.data.rest?.signal) : 'because it reached its budget'
  const is = state === 'PAUSED' ? `is already PAUSED ${why}` : 'is already being paused'
  return new DrydockError('already_done', `${id} ${is}. Continue with:  drydock resume ${id}`, {
    todo: `Continue with: drydock resume ${id}`,
  })
}
