import type { Drydock } from '../../app/drydock.ts'
import { workOnAll } from '../../app/wait/work-on-all.ts'
import { keepShells } from '../../processes/shell/start-in-shell.ts'
import type { CommonOptions, Context } from '../context.ts'
import { doorBeside } from '../door/open-door.ts'
import { configuredWatch } from './configured-watch.ts'
import { untilStopped } from './until-stopped.ts'

/** The number of shells kept open, so that the first programs of a task start without delay. */
const shellsKept = 2

interface Working {
  readonly coders: number
  /** True to share the work with workers of other machines, if the state can be shared. */
  readonly shared?: boolean
  /** The address of a hub, and a listener for changes of its active role. */
  readonly hub?: { readonly url: string; readonly onStanding: (owns: boolean) => void }
  readonly options: CommonOptions & { readonly own?: boolean }
}

/** Does all work until Ctrl-C, and watches a forge if one is configured. */
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
  // The state of a hub belongs to several processes, so this one opens no door.
  const asOwner = shared ? null : doorBeside(context, drydock)
  await untilStopped(output, (stop) => [
    workOnAll(drydock, { coders, shared, own, onNote: output.note, onChange, asOwner, stop, ...hub }),
    ...(watcher === null ? [] : [watcher.watch(stop)]),
  ])
}
