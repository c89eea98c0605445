import type { JsonObject } from '../../domain/json.ts'
import { nextState } from '../../domain/machines.ts'
import { isEnded, isHeld, type Run, type RunData } from '../../domain/run/run.ts'
import type { RunEvent, RunState } from '../../domain/run/run-machine.ts'
import type { Next, Transaction } from '../../ports/store.ts'
import { wakeLandings } from '../landing/wake-landings.ts'

export interface RunMove {
  readonly event: RunEvent
  readonly data?: Partial<RunData>
  /** Further fields for the event log. */
  readonly log?: JsonObject
  readonly next: Next
}

/**
 * Takes a transition of the Run machine in the caller's transaction. Throws if the table has no
 * such transition: the caller has read the Run in the same transaction.
 */
export async function moveRun(tx: Transaction, run: Run, { event, data, log, next }: RunMove): Promise<Run> {
  const state = nextState(run, event)
  if (state === null) throw new Error(`run ${run.id} knows no ${event} in ${run.state}`)
  const moved = await tx.move(run, event, {
    data: { ...waysBack(run, event, state), ...restAfter(run, event, state), ...data },
    next,
  })
  await tx.appendEvent({
    run: run.id,
    story: null,
    type: 'run_state',
    data: { from: run.state, event, to: state, ...log },
  })
  await wakeLandings(tx, moved)
  return moved
}

/**
 * ERROR and PAUSED leave no trace; any other move answers the open question, and only ESCALATED
 * remembers the state before it.
 */
function waysBack({ state, data }: Run, event: RunEvent, next: RunState): Partial<RunData> {
  if (event === 'failed') return { stoppedIn: state === 'ERROR' || state === 'PAUSED' ? data.stoppedIn : state }
  if (event === 'paused') return { stoppedIn: state }
  if (event === 'resumed' || event === 'unpaused') return { stoppedIn: null }
  return { origin: next === 'ESCALATED' ? state : null, stoppedIn: null, escalation: null }
}

/** A Run that has ended drops its rest; a Run that leaves PAUSED keeps only a human's pause. */
function restAfter(run: Run, event: RunEvent, next: RunState): Partial<RunData> {
  return isEnded(next) || (event === 'unpaused' && !isHeld(run)) ? { rest: null } : {}
}
