import { checkContainers, type Starting, startCommand } from '../../../app/commands/start-command.ts'
import { uncommittedWork } from '../../../app/commands/uncommitted-work.ts'
import type { Drydock } from '../../../app/drydock.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type Attended, attend, waiting } from './attend.ts'

export interface Start extends Attended, Starting {
  readonly drydock: Drydock
  readonly options: CommonOptions
}

/** Stores a Run and attends it to its result. */
export async function startRun(context: Context, starting: Start): Promise<number> {
  const { drydock, request, models, checked, title, options, ...more } = starting
  await checkContainers(drydock)
  const { key, command } = await startCommand(drydock, { request, models, checked, title, options })
  await drydock.submit(key, { ...command, ...(await uncommittedWork(drydock, request)) })
  return attend(context, {
    ...{ drydock, runs: [command.run], after: 0, coders: checked.coders, own: true, ...waiting(context, options) },
    record: options.record,
    only: request.kind === 'verify',
    ...more,
  })
}
