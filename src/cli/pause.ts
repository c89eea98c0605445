import { randomUUID } from 'node:crypto'
import type { Drydock } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { hasCrew, isPausable, type Run } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { findWork } from './find-run.ts'
import { type HandedOver, handOver } from './hand-over.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { usage } from './usage.ts'

/**
 * Has nothing more of a Run begun, until it is resumed; only asks for it, so that it can be done
 * while nothing runs.
 */
export async function pause(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { run, story } = await reading(drydock, (records) => findWork(records, id, isPausable))
  if (hasCrew(run) && story !== null) {
    throw usage('A single story of a run cannot be paused.', `The whole run can: drydock pause ${run.id}`)
  }
  if (isPaused(run)) {
    output.emit({ type: 'pause', run: run.id, state: run.state })
    output.say(alreadyPaused(run).message)
    return 0
  }
  const handed = await givePause(drydock, run)
  const state = await reading(drydock, async (records) => (await records?.machine(run.id))?.state ?? run.state)
  output.emit({ type: 'pause', run: run.id, state })
  output.say(`${words(run.id, state, handed)} Go on with:  drydock resume ${run.id}`)
  return 0
}

/** Asks for the pause of a Run. DrydockError `already_done` when nothing of it goes on anyway. */
export async function givePause(drydock: Drydock, run: Run): Promise<HandedOver> {
  if (isPaused(run)) throw alreadyPaused(run)
  if (!isPausable(run)) {
    const state = run.state === 'ERROR' ? 'stopped in ERROR' : `ended: ${run.state}`
    throw new DrydockError('already_done', `${run.id} has ${state}. There is nothing to pause.`, {
      todo: run.state === 'ERROR' ? `Go on with it: drydock resume ${run.id}` : 'See: drydock report',
    })
  }
  return handOver(drydock, `pause/${randomUUID()}`, { kind: 'pause', run: run.id })
}

function isPaused(run: Run): boolean {
  return !isPausable(run) && (run.state === 'PAUSED' || run.data.held != null)
}

function alreadyPaused({ id, state, data }: Run): DrydockError {
  const why = data.held != null ? 'by hand' : 'since its budget is reached'
  const is = state === 'PAUSED' ? `is PAUSED already, ${why}` : 'is being paused already'
  return new DrydockError('already_done', `${id} ${is}. Go on with:  drydock resume ${id}`, {
    todo: `Go on with it: drydock resume ${id}`,
  })
}

function words(run: string, state: string, handed: HandedOver): string {
  if (handed === 'recorded') return 'Recorded; nobody works on it now, and whoever does next pauses it.'
  if (handed === 'waiting') return 'Recorded; the process that works here has not taken it up yet.'
  return state === 'PAUSED' ? `${run} is PAUSED.` : `${run} is being paused: what is under way ends first.`
}
