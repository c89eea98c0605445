import { actRoutes } from '../../../api/act-routes.ts'
import { titleOfSpec } from '../../../domain/run/spec.ts'
import { checkConfig } from '../../commands/check-config.ts'
import { checkModels } from '../../commands/check-models.ts'
import { overNamed } from '../../commands/named-options.ts'
import { findInterview } from '../../commands/spec-before.ts'
import { startCommand } from '../../commands/start-command.ts'
import { command } from '../operation.ts'
import { checkNamed, refuseBefore } from '../start.ts'

/** Writes a spec with the user. */
export const startInterview = command(actRoutes.startInterview, {
  async run(acting, given) {
    const { drydock, options: base, give } = acting
    checkNamed(acting, given)
    const spec = { text: given.text, source: 'text' }
    const options = overNamed(base, given)
    refuseBefore(given.again ? null : await findInterview(drydock, { words: given.text, options }))
    const checked = await checkConfig(drydock, options, false)
    const models = checkModels(drydock, options, { crew: true, editor: false })
    const request = { kind: 'interview', spec, file: null } as const
    const started = await startCommand(drydock, { request, models, checked, title: titleOfSpec(spec), options })
    return give(started.command, started.key)
  },
})
