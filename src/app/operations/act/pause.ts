import { actRoutes } from '../../../api/act-routes.ts'
import type { DrydockError } from '../../../domain/drydock-error.ts'
import { type PauseCause, pausedHow } from '../../../domain/run/pause-cause.ts'
import { isHeld, isPausable, type Run } from '../../../domain/run/run.ts'
import { authorName } from '../../commands/author-of.ts'
import { usage } from '../../usage.ts'
import { namedStory } from '../../views/find/find-work.ts'
import { findOrStored } from '../find.ts'
import { command } from '../operation.ts'
import { allowed, done } from '../refusals.ts'

export const pause = command(actRoutes.pause, {
  may(run) {
    if (isPausable(run)) return null
    if (isPaused(run)) return alreadyPaused(run)
    return run.state === 'ERROR'
      ? done(`${run.id} has stopped in ERROR. There is nothing to pause.`, `Continue with: drydock resume ${run.id}`)
      : done(`${run.id} has ended: ${run.state}. There is nothing to pause.`, 'See: drydock report')
  },
  async run({ drydock, by, give }, { run: id }) {
    const work = await findOrStored(drydock, id)
    const name = await authorName(drydock, by)
    const cause: PauseCause = name === null ? {} : { person: name }
    if (work === null) return give({ kind: 'pause', run: id, ...cause })
    const { run } = work
    if (namedStory(work) !== null)
      throw usage('You cannot pause a single story of a run.', `Pause the whole run: drydock pause ${run.id}`)
    allowed(pause, run)
    return give({ kind: 'pause', run: run.id, ...cause })
  },
})

/** True if nothing of the Run continues, now or after the steps in progress. */
export function isPaused(run: Run): boolean {
  return !isPausable(run) && (run.state === 'PAUSED' || isHeld(run))
}

function alreadyPaused(run: Run): DrydockError {
  const { id, state } = run
  const why = isHeld(run) ? pausedHow(run.data.rest ?? {}) : 'because it reached its budget'
  const is = state === 'PAUSED' ? `is already PAUSED ${why}` : 'is already being paused'
  return done(`${id} ${is}. Continue with:  drydock resume ${id}`, `Continue with: drydock resume ${id}`)
}
