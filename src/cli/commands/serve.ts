import { once } from 'node:events'
import { codersOf } from '../../app/commands/check-config.ts'
import type { Drydock } from '../../app/drydock.ts'
import { workOnAll } from '../../app/wait/work-on-all.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { openDashboard } from './dashboard.ts'
import { untilStopped } from './until-stopped.ts'

interface ServeOptions {
  readonly port?: number
  /** False with --no-own. */
  readonly own?: boolean
  readonly endSessions?: boolean
}

/** Serves the dashboard until it is stopped, and takes up all work while nobody else does. */
export async function serve(
  context: Context,
  _: readonly string[],
  options: CommonOptions & ServeOptions,
): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const dashboard = await openDashboard(context, drydock, options)
  const { url, link, own } = dashboard
  output.emit({ type: 'serving', url, link, own })
  if (!output.json) output.say(link)
  if (!own) {
    output.note('Another drydock process serves it.')
    return 0
  }
  output.note(
    'Open it in a browser on this machine. The link works once; `drydock serve` prints another. Ctrl-C ends it.',
  )
  const coders = await codersOf(drydock, options)
  const watcher = options.own === false ? null : await configuredWatch(context, drydock, options)
  try {
    const onChange = () => watcher?.onChange()
    await untilStopped(output, (stop) => [
      workOnAll(drydock, { coders, own: options.own !== false, onNote: output.note, onChange, stop }),
      ...(watcher === null ? [] : [watcher.watch(stop)]),
    ])
    return 130
  } finally {
    await dashboard.close()
  }
}

/** A watcher of the forge of `origin`, where the user's own configuration asks for one. */
async function configuredWatch(context: Context, drydock: Drydock, options: CommonOptions) {
  const asked = Object.values(drydock.user.forges).some(({ watch }) => watch !== undefined)
  if (!asked) return null
  const { prepareWatch } = await import('./forge/prepare-watch.ts')
  const { onChange, watch } = prepareWatch(context, drydock, options)
  const say = (error: unknown) => {
    if (!(error instanceof DrydockError)) throw error
    context.output.note(`The forge is not watched. ${error.message}\n  ${error.todo}`)
  }
  try {
    const { name } = await drydock.openForge(await drydock.remotes.url('origin'), null)
    if (drydock.user.forges[name]?.watch === undefined) return null
  } catch (error) {
    say(error)
    return null
  }
  return {
    onChange,
    /** The dashboard goes on without it. */
    async watch(stop: AbortSignal) {
      await watch({ stop, ends: 'never' }).catch(say)
      if (!stop.aborted) await once(stop, 'abort')
    },
  }
}
