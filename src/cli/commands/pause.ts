import { isPaused } from '../../app/operations/act/pause.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import type { HandedOver } from '../../app/operations/hand-over.ts'
import { lookUp, namedStory } from '../../app/views/find/find-work.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isPausable } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/**
 * Pauses a Run until it is resumed. Only stores the command, so that no process needs to be
 * running. Succeeds if the Run is already paused.
 */
export async function pause(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const work = await lookUp(drydock, id, isPausable)
  const { run } = work
  const acts = await actsOf(drydock, { options })
  const handed = await acts.pause({ run: namedStory(work)?.id ?? run.id }).then(
    (given) => given.handed,
    (error: unknown) => {
      if (error instanceof DrydockError && error.code === 'already_done' && isPaused(run)) return error
      throw error
    },
  )
  const { state } = (await lookUp(drydock, run.id)).run
  output.emit({ type: 'pause', run: run.id, state })
  output.say(
    typeof handed === 'string'
      ? `${words(run.id, state, handed)} Continue with:  drydock resume ${run.id}`
      : handed.message,
  )
  return 0
}

function words(run: string, state: string, handed: HandedOver): string {
  if (handed === 'recorded') return 'Recorded. No process works on it now; the next one pauses it.'
  if (handed === 'waiting') return 'Recorded. The process that works here has not applied it yet.'
  return state === 'PAUSED' ? `${run} is PAUSED.` : `${run} is being paused: the current steps end first.`
}
