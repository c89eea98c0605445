import type { HandedOver } from '../app/commands/hand-over.ts'
import { alreadyPaused, givePause, isPaused } from '../app/commands/pause.ts'
import { usage } from '../app/usage.ts'
import { lookUp } from '../app/views/find/find-work.ts'
import { hasCrew, isPausable } from '../domain/run/run.ts'
import type { CommonOptions, Context } from './context.ts'
import { open } from './open.ts'

/**
 * Has nothing more of a Run begun, until it is resumed; only asks for it, so that it can be done
 * while nothing runs.
 */
export async function pause(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { run, story } = await lookUp(drydock, id, isPausable)
  if (hasCrew(run) && story !== null) {
    throw usage('A single story of a run cannot be paused.', `The whole run can: drydock pause ${run.id}`)
  }
  if (isPaused(run)) {
    output.emit({ type: 'pause', run: run.id, state: run.state })
    output.say(alreadyPaused(run).message)
    return 0
  }
  const handed = await givePause(drydock, run)
  const { state } = (await lookUp(drydock, run.id)).run
  output.emit({ type: 'pause', run: run.id, state })
  output.say(`${words(run.id, state, handed)} Go on with:  drydock resume ${run.id}`)
  return 0
}

function words(run: string, state: string, handed: HandedOver): string {
  if (handed === 'recorded') return 'Recorded; nobody works on it now, and whoever does next pauses it.'
  if (handed === 'waiting') return 'Recorded; the process that works here has not taken it up yet.'
  return state === 'PAUSED' ? `${run} is PAUSED.` : `${run} is being paused: what is under way ends first.`
}
