import type { Drydock } from '../../app/drydock.ts'
import { workOnAll } from '../../app/wait/work-on-all.ts'
import { keepShells } from '../../processes/shell/start-in-shell.ts'
import type { CommonOptions, Context } from '../context.ts'
import { doorBeside } from '../door/open-door.ts'
import { configuredWatch } from './configured-watch.ts'
import { untilStopped } from './until-stopped.ts'

/** So many programs begin at once when a task comes. */
const shellsKept = 2

interface Working {
  readonly coders: number
  /** With workers of other machines, where the state can be shared. */
  readonly shared?: boolean
  /** The address of a hub, and the listener for whether it is the active one. */
  readonly hub?: { readonly url: string; readonly onStanding: (owns: boolean) => void }
  readonly options: CommonOptions & { readonly own?: boolean }
}

/** Takes up all work, and watches a forge where that is configured, until Ctrl-C. */
export async function workUntilStopped(
  context: Context,
  drydock: Drydock,
  { coders, shared = false, hub, options }: Working,
): Promise<void> {
  const { output } = context
  keepShells(shellsKept)
  const own = options.own !== false
  const watcher = own ? await configuredWatch(context, drydock, options) : null
  const onChange = () => watcher?.onChange()
  // The state of a hub is not one process's alone.
  const asOwner = shared ? null : doorBeside(context, drydock)
  await untilStopped(output, (stop) => [
    workOnAll(drydock, { coders, shared, own, onNote: output.note, onChange, asOwner, stop, ...hub }),
    ...(watcher === null ? [] : [watcher.watch(stop)]),
  ])
}
