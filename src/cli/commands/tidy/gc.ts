import { formatBytes } from '../../../domain/figures-text.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'

/**
 * Compacts the state. Keeps everything that a Run in progress or an unresolved stuck report needs.
 */
export async function gc(context: Context, _args: readonly string[], options: CommonOptions): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const before = total(await drydock.sizes())
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  try {
    const collected = await drydock.collect(stop.signal)
    if (collected === null) {
      output.say('Another drydock process works here and cleans up after each run. Nothing was done.')
      return 0
    }
    const after = total(await drydock.sizes())
    const { verifications, refs, cacheBytes, blobs } = collected
    output.emit({
      type: 'gc',
      verifications,
      refs,
      cache_bytes: cacheBytes,
      bytes_before: before,
      bytes_after: after,
      ...(blobs && { blobs }),
    })
    output.say(`Removed the artifacts of ${verifications.length} verifications; ${formatBytes(cacheBytes)} of caches.`)
    if (refs.length > 0) output.say(`Dropped ${refs.length} snapshots and commits of stories that have ended.`)
    if (blobs !== null && blobs.verifications.length > 0)
      output.say(`Removed the kept files of ${blobs.verifications.length} verifications.`)
    if (blobs !== null && blobs.layers.length > 0)
      output.say(`Removed the shared copies of ${blobs.layers.length} dependency layers.`)
    if (blobs?.problem) output.note(`Kept files could not be removed: ${blobs.problem}`)
    output.say(
      `The state now has ${formatBytes(after)}, ${formatBytes(Math.max(0, before - after))} less: ${drydock.state}`,
    )
    return 0
  } catch (error) {
    if (stop.signal.aborted) return 130
    throw error
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function total(sizes: Readonly<Record<string, number>>): number {
  return Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0)
}
