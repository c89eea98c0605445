import type { Ready } from '../../../app/commands/ready-for.ts'
import { checkContainers, type Starting, startCommand } from '../../../app/commands/start-command.ts'
import { uncommittedWork } from '../../../app/commands/uncommitted-work.ts'
import type { Drydock } from '../../../app/drydock.ts'
import { startAtHub } from '../../../app/hub/start-at-hub.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { thisProcess } from '../../door/host.ts'
import { type AttendOptions, attend, waiting } from './attend.ts'

export interface Start extends AttendOptions, Pick<Starting, 'request' | 'title' | 'acceptance'> {
  readonly drydock: Drydock
  /** Null if a hub does the work. */
  readonly ready: Ready | null
  readonly options: CommonOptions & { readonly again?: boolean }
  /** The user's uncommitted work, read in parallel with the checks; absent to read it now. */
  readonly uncommitted?: ReturnType<typeof uncommittedWork> | undefined
}

/** Stores a Run and attends it to its result. */
export async function startRun(context: Context, starting: Start): Promise<number> {
  const { drydock, request, ready, title, options, acceptance, ...more } = starting
  const { atHub } = drydock
  const { after } = context.terminal.host ?? thisProcess
  const { run, ...given } =
    atHub !== null
      ? { run: await startAtHub(drydock, atHub, { request, again: options.again ?? false, options, acceptance }) }
      : await startHere(context, starting)
  return attend(context, {
    drydock,
    runs: [run],
    after,
    coders: ready?.checked.coders ?? 1,
    own: true,
    ...waiting(context, options),
    // A result that was shown in full needs no further line.
    ...(after > 0 && given),
    record: options.record,
    only: request.kind === 'verify',
    ...more,
  })
}

interface StoredStart {
  readonly run: string
  readonly command?: string
}

async function startHere(
  { terminal: { host = thisProcess } }: Context,
  { drydock, request, ready, title, options, uncommitted, acceptance }: Start,
): Promise<StoredStart> {
  if (ready === null) throw new Error('nothing was checked')
  await checkContainers(drydock)
  const { key, command: bare } = await startCommand(drydock, { request, ...ready, title, options, acceptance })
  const { command, ...begun } = await host.begin({
    key,
    command: { ...bare, ...(await (uncommitted ?? uncommittedWork(drydock, request))) },
  })
  return { run: command.run, command: await drydock.submit(begun.key, command) }
}
