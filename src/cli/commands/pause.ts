import type { HandedOver } from '../../app/commands/hand-over.ts'
import { alreadyPaused, givePause, isPaused } from '../../app/commands/pause.ts'
import { usage } from '../../app/usage.ts'
import { lookUp, namedStory } from '../../app/views/find/find-work.ts'
import { isPausable } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/**
 * Has nothing more of a Run begun, until it is resumed; only asks for it, so that it can be done
 * while nothing runs.
 */
export async function pause(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const { run, story } = await lookUp(drydock, id, isPausable)
  if (namedStory({ story }) !== null) {
    throw usage('You cannot pause a single story of a run.', `Pause the whole run: drydock pause ${run.id}`)
  }
  if (isPaused(run)) {
    output.emit({ type: 'pause', run: run.id, state: run.state })
    output.say(alreadyPaused(run).message)
    return 0
  }
  const handed = await givePause(drydock, run)
  const { state } = (await lookUp(drydock, run.id)).run
  output.emit({ type: 'pause', run: run.id, state })
  output.say(`${words(run.id, state, handed)} Continue with:  drydock resume ${run.id}`)
  return 0
}

function words(run: string, state: string, handed: HandedOver): string {
  if (handed === 'recorded') return 'Recorded. No process works on it now; the next one pauses it.'
  if (handed === 'waiting') return 'Recorded. The process that works here has not applied it yet.'
  return state === 'PAUSED' ? `${run} is PAUSED.` : `${run} is being paused: the current steps end first.`
}
