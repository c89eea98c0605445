import { actsOf } from '../../app/operations/acts-of.ts'
import type { HandedOver } from '../../app/operations/hand-over.ts'
import { viewsOf } from '../../app/operations/views-of.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

/**
 * Pauses a Run until it is resumed. Only stores the command, so that no process needs to be
 * running. Succeeds if the Run is already paused.
 */
export async function pause(context: Context, [id]: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  const { run, story, paused } = await views.work({ id, meant: 'pausable' })
  const acts = await actsOf(drydock, { options })
  const handed = await acts.pause({ run: story === null ? run : `${run}/${story}` }).then(
    (given) => given.handed,
    (error: unknown) => {
      if (error instanceof DrydockError && error.code === 'already_done' && paused) return error
      throw error
    },
  )
  const { state } = await views.work({ id: run, meant: 'built' })
  output.emit({ type: 'pause', run, state })
  output.say(
    typeof handed === 'string' ? `${words(run, state, handed)} Continue with:  drydock resume ${run}` : handed.message,
  )
  return 0
}

function words(run: string, state: string, handed: HandedOver): string {
  if (handed === 'recorded') return 'Recorded. No process works on it now; the next one pauses it.'
  if (handed === 'waiting') return 'Recorded. The process that works here has not applied it yet.'
  return state === 'PAUSED' ? `${run} is PAUSED.` : `${run} is being paused: the current steps end first.`
}
