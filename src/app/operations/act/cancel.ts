import { actRoutes } from '../../../api/act-routes.ts'
import { isUnresolved } from '../../../domain/run/retention.ts'
import { isEnded } from '../../../domain/run/run.ts'
import { usage } from '../../usage.ts'
import { namedStory } from '../../views/find/find-work.ts'
import { find } from '../find.ts'
import { command } from '../operation.ts'
import { allowed, ended } from '../refusals.ts'

export const cancel = command(actRoutes.cancel, {
  may: (run) => (isEnded(run.state) && !isUnresolved(run) ? ended(run) : null),
  async run({ drydock, give }, { run: id, reason }) {
    const work = await find(drydock, id)
    const { run } = work
    if (namedStory(work) !== null)
      throw usage('You cannot cancel a single story of a run.', `Cancel the whole run: drydock cancel ${run.id}`)
    allowed(cancel, run)
    return give({ kind: 'cancel', run: run.id, ...(reason !== undefined && { reason }) })
  },
})
