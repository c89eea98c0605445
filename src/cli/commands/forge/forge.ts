import { codersOf } from '../../../app/commands/check-config.ts'
import { usage } from '../../../app/usage.ts'
import { workOnAll } from '../../../app/wait/work-on-all.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { untilStopped } from '../until-stopped.ts'
import { prepareWatch, type WatchOptions } from './prepare-watch.ts'

interface ForgeOptions extends WatchOptions {
  readonly once?: true
  /** False with `--no-own`. */
  readonly own?: boolean
}

/** Watches the forge of a remote, and does the work that people request there. */
export async function forge(
  context: Context,
  [what]: readonly string[],
  options: CommonOptions & ForgeOptions,
): Promise<number> {
  if (what !== 'watch') throw usage(`There is no \`forge ${what}\`.`, 'drydock forge watch')
  const { output } = context
  const drydock = await open(context, options)
  const own = options.own !== false
  const ends = !options.once ? 'never' : own ? 'at_rest' : 'after_poll'
  const { onChange, watch } = prepareWatch(context, drydock, options)
  const coders = await codersOf(drydock, options)
  // Work costs money, so it only begins once the forge can be watched.
  const ready = Promise.withResolvers<void>()
  const onReady = () => {
    if (!options.once) output.note('Watching the forge. Ctrl-C ends it.')
    ready.resolve()
  }
  const isStopped = await untilStopped(output, (stop) => {
    const watching = watch({ stop, ends, onReady })
    watching.then(ready.resolve, ready.reject)
    const working = ready.promise.then(() => workOnAll(drydock, { coders, own, onNote: output.note, onChange, stop }))
    return [working, watching]
  })
  return isStopped ? 130 : 0
}
