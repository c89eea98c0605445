import { actRoutes } from '../../../api/act-routes.ts'
import type { InputOf } from '../../../api/route.ts'
import type { SpecRequest } from '../../../domain/run/run.ts'
import { titleOfSpec } from '../../../domain/run/spec.ts'
import { checkConfig } from '../../commands/check-config.ts'
import { checkModels } from '../../commands/check-models.ts'
import { overNamed } from '../../commands/named-options.ts'
import { findBefore, specQuery } from '../../commands/spec-before.ts'
import { specRequest } from '../../commands/spec-request.ts'
import type { Installation } from '../../installation.ts'
import type { StateAccess } from '../../state-access.ts'
import type { WorkOptions } from '../../work-options.ts'
import { command } from '../operation.ts'
import { checkNamed, refuseBefore, startFor, takePushed } from '../start.ts'

/** Builds a spec, or only plans it. */
export const startRun = command(actRoutes.startRun, {
  async run(acting, given) {
    const { drydock, options: base, give } = acting
    checkNamed(acting, given)
    await takePushed(drydock, given)
    const spec = { text: given.spec, source: given.source }
    const { plan_only: planOnly, review_stories: reviewStories, as_is: asIs, stories = null } = given
    const request = await specRequest(drydock, { spec, planOnly, reviewStories, asIs, stories })
    const { again, uncommitted } = given
    const started = await buildCommand(drydock, { request, again, uncommitted, options: overNamed(base, given) })
    return give(started.command, started.key)
  },
})

interface Building extends Pick<InputOf<typeof actRoutes.startRun>, 'uncommitted'> {
  readonly request: SpecRequest
  readonly again: boolean
  readonly options: WorkOptions
}

/** Builds a spec or the stories of a plan, or only plans it. DrydockError. */
export async function buildCommand(
  drydock: Installation & Pick<StateAccess, 'openRecords' | 'atHub'>,
  { request, again, uncommitted, options }: Building,
) {
  refuseBefore(again ? null : await findBefore(drydock, await specQuery(drydock, { request, options })))
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(drydock, options, { crew: true, editor: !request.planOnly })
  const title = titleOfSpec(request.spec)
  return startFor(drydock, { uncommitted }, { request, models, checked, title, options })
}
