import type { Ready } from '../../../app/commands/ready-for.ts'
import { checkContainers, type Starting, startCommand } from '../../../app/commands/start-command.ts'
import { uncommittedWork } from '../../../app/commands/uncommitted-work.ts'
import type { Drydock } from '../../../app/drydock.ts'
import { startAtHub } from '../../../app/hub/start-at-hub.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type Attended, attend, waiting } from './attend.ts'

export interface Start extends Attended, Pick<Starting, 'request' | 'title'> {
  readonly drydock: Drydock
  /** Null where a hub does the work. */
  readonly ready: Ready | null
  readonly options: CommonOptions & { readonly again?: boolean }
}

/** Stores a Run and attends it to its result. */
export async function startRun(context: Context, starting: Start): Promise<number> {
  const { drydock, request, ready, title, options, ...more } = starting
  const { atHub } = drydock
  const run =
    atHub !== null
      ? await startAtHub(drydock, atHub, { request, again: options.again ?? false, options })
      : await startHere(starting)
  return attend(context, {
    ...{ drydock, runs: [run], after: 0, coders: ready?.checked.coders ?? 1, own: true, ...waiting(context, options) },
    record: options.record,
    only: request.kind === 'verify',
    ...more,
  })
}

async function startHere({ drydock, request, ready, title, options }: Start): Promise<string> {
  if (ready === null) throw new Error('nothing was checked')
  await checkContainers(drydock)
  const { key, command } = await startCommand(drydock, { request, ...ready, title, options })
  await drydock.submit(key, { ...command, ...(await uncommittedWork(drydock, request)) })
  return command.run
}
