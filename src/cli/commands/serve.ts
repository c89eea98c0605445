import { codersOf } from '../../app/commands/check-config.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { openDashboard } from './dashboard.ts'
import { workUntilStopped } from './work-until-stopped.ts'

interface ServeOptions {
  readonly port?: number
  /** False with `--no-own`. */
  readonly own?: boolean
  readonly endSessions?: boolean
}

/** Serves the dashboard until it is stopped, and does all work while no other process does. */
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
  try {
    await workUntilStopped(context, drydock, { coders, options })
    return 130
  } finally {
    await dashboard.close()
  }
}
