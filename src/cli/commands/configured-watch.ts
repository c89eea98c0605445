import { once } from 'node:events'
import type { Drydock } from '../../app/drydock.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CommonOptions, Context } from '../context.ts'

/** A watcher of the forge of `origin`; null if the user's configuration does not ask for one. */
export async function configuredWatch(context: Context, drydock: Drydock, options: CommonOptions) {
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
    /** A failure of the watcher does not end the dashboard. */
    async watch(stop: AbortSignal) {
      await watch({ stop, ends: 'never' }).catch(say)
      if (!stop.aborted) await once(stop, 'abort')
    },
  }
}
