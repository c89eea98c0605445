import { createHash } from 'node:crypto'
import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import {
  type LayerIndex,
  type SharedLayer,
  type SharedLayerData,
  sharedLayerFolder,
  sharedLayerId,
} from '../../domain/layer/shared-layer.ts'
import { limits } from '../../domain/limits.ts'
import { once } from '../../domain/once.ts'
import type { MadeBy, SharedLayers } from '../../gate/layers/shared-layers.ts'
import { actAfter } from '../../ports/act-after.ts'
import { type Artifacts, LayerRefused } from '../../ports/artifacts.ts'
import type { BlobStore, Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Engine } from '../../ports/engine.ts'
import type { Records } from '../../ports/store.ts'
import { inParts, putIndex } from './store-files.ts'

/** Shares layers as SharedLayers describes; `put` runs alongside the work. */
export interface LayerSharing extends SharedLayers {
  /** Calls the listener for each layer that is offered. */
  onOffer(listener: (key: string) => void): void
  /**
   * Uploads an offered layer, or records its use if it is stored already. A layer that cannot be
   * shared, or has disappeared, is skipped. Rejects like Blobs.
   */
  put(key: string, putting: Putting, signal: AbortSignal): Promise<void>
}

interface Putting {
  readonly space: string
  /** Called after each uploaded blob. */
  readonly afterEach: () => Promise<void>
}

export interface SharingOptions {
  readonly blobs: BlobStore
  readonly artifacts: Pick<Artifacts, 'layer' | 'packLayer' | 'unpackLayer' | 'alone'>
  readonly store: Pick<Records, 'machineOf'>
  readonly engine: Pick<Engine, 'transact'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
}

export function createLayerSharing({ blobs, artifacts, store, engine, clock }: SharingOptions): LayerSharing {
  const listeners: ((key: string) => void)[] = []
  /** The last offer of each layer, by its key. */
  const offered = new Map<string, MadeBy & { readonly at: number }>()
  /** Layers whose blobs turned out to be damaged. */
  const broken = new Map<string, Pick<SharedLayerData, 'space' | 'index'>>()
  let quietUntil = 0
  const now = () => clock.now().getTime()

  const isBroken = ({ data }: SharedLayer) => {
    const found = broken.get(data.name)
    return found?.space === data.space && found.index === data.index
  }

  /** Returns true if others find the layer in this machine's space. */
  async function record(data: SharedLayerData): Promise<boolean> {
    const id = sharedLayerId(data.name)
    const isOwn = await engine.transact(async (tx) => {
      const known = await tx.machineOf('shared_layer', id)
      if (known === null) await tx.create({ id, kind: 'shared_layer', run: '', story: null, data }, 'rest')
      else if (known.state === 'REMOVED') await tx.move(known, 'shared_again', { data, next: 'rest' })
      else if (isBroken(known)) await tx.edit(known, data)
      // Another machine has stored the same layer in the meantime.
      else return known.data.space === data.space
      return true
    })
    broken.delete(data.name)
    return isOwn
  }

  async function noteUse({ id }: SharedLayer): Promise<void> {
    await engine.transact(async (tx) => {
      const known = await tx.machineOf('shared_layer', id)
      if (known === null || now() - Date.parse(known.data.usedAt) < limits.sharedLayers.touchMs) return
      await tx.edit(known, { usedAt: new Date(now()).toISOString() })
    })
  }

  async function putAlone(
    { key, name }: Pick<SharedLayerData, 'key' | 'name'>,
    { space, afterEach }: Putting,
    signal: AbortSignal,
  ): Promise<void> {
    const known = await store.machineOf('shared_layer', sharedLayerId(name))
    if (known?.state === 'SHARED' && !isBroken(known)) return noteUse(known)
    const layer = await artifacts.layer(key)
    if (layer === null) return
    const folder = { space, name: sharedLayerFolder(name) }
    const own = blobs.at(folder)
    const parts: { digest: string; bytes: number }[] = []
    let bytes = 0
    for await (const part of inParts(artifacts.packLayer(layer))) {
      bytes += part.byteLength
      if (bytes > limits.sharedLayers.packedBytes) throw new LayerRefused('it is too large')
      parts.push(await own.put(part, signal))
      await afterEach()
    }
    const index: LayerIndex = { version: 1, parts }
    const digest = await putIndex({ own, place: blobs.place }, index, signal)
    const usedAt = new Date(now()).toISOString()
    if (!(await record({ name, key, space, index: digest, bytes, usedAt }))) await blobs.remove(folder, signal)
  }

  return {
    async fetch(layer, signal) {
      if (now() < quietUntil) return null
      const shared = await store.machineOf('shared_layer', sharedLayerId(await nameOf(layer)))
      if (shared?.state !== 'SHARED' || isBroken(shared)) return null
      const { name, space, index } = shared.data
      const own = blobs.at({ space, name: sharedLayerFolder(name) })
      try {
        return await artifacts.unpackLayer(layer, piecesOf({ own, clock }, index, signal), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (isDamage(error)) broken.set(name, { space, index })
        else if (isInTheWay(error)) quietUntil = now() + limits.sharedLayers.pauseMs
        else throw error
        return null
      }
    },
    offer({ key, programs }) {
      if (now() - (offered.get(key)?.at ?? 0) < limits.sharedLayers.touchMs) return
      offered.set(key, { programs, at: now() })
      for (const listener of listeners) listener(key)
    },
    onOffer: (listener) => void listeners.push(listener),
    async put(key, putting, signal) {
      const by = offered.get(key)
      if (by === undefined) return
      const name = await nameOf({ key, ...by })
      const put = () => putAlone({ key, name }, putting, signal)
      await artifacts.alone(nameOfPut(name), put, signal).catch((error: unknown) => {
        if (!(error instanceof LayerRefused) && !isOfFiles(error)) throw error
      })
    },
  }
}

/** The name under which other machines find the layer. */
async function nameOf({ key, programs }: { readonly key: string } & MadeBy): Promise<string> {
  return createHash('sha256')
    .update(JSON.stringify([key, await programs()]))
    .digest('hex')
    .slice(0, 32)
}

/** Name of the lock around changes to a layer's blobs. */
export function nameOfPut(name: string): string {
  return `shared-layer/${name}`
}

const indexSchema = once(
  (): z.ZodType<LayerIndex> =>
    z.object({
      version: z.literal(1),
      parts: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(1) })),
    }),
)

interface Source {
  readonly own: Blobs
  readonly clock: SharingOptions['clock']
}

/**
 * Each blob was compared with its digest in the row. The work waits for them, so their time is
 * limited.
 */
async function* piecesOf({ own, clock }: Source, index: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const end = clock.now().getTime() + limits.sharedLayers.waitMs
  const get = (digest: string) => {
    const ms = Math.min(end - clock.now().getTime(), limits.sharedLayers.pieceMs)
    return within({ clock, ms }, signal, async (soon) => {
      const found = await own.get(digest, null, soon)
      if (found === null) throw new LayerRefused('a blob of it is gone')
      return found
    })
  }
  const { data } = indexSchema().safeParse(JSON.parse(Buffer.from(await get(index)).toString('utf8')))
  if (data === undefined) throw new LayerRefused('its index says something else')
  const bytes = data.parts.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes > limits.sharedLayers.packedBytes) throw new LayerRefused('it is too large')
  for (const { digest } of data.parts) yield await get(digest)
}

interface TimeBound extends Pick<Source, 'clock'> {
  readonly ms: number
}

/**
 * Rejects with a TimeoutError when the time is over, even if the work ignores its signal, such as a
 * read in a folder that hangs.
 */
async function within<T>(
  { clock, ms }: TimeBound,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = actAfter(clock, { ms }, () => late.abort(new DOMException(`It took over ${ms} ms`, 'TimeoutError')))
  const soon = AbortSignal.any([signal, late.signal])
  const { promise: given, reject } = Promise.withResolvers<never>()
  const abort = () => reject(soon.reason)
  soon.addEventListener('abort', abort, { once: true })
  try {
    soon.throwIfAborted()
    return await Promise.race([work(soon), given])
  } finally {
    cancel()
    soon.removeEventListener('abort', abort)
  }
}

/** True if the stored data is not a layer, so that a retry would not help. */
function isDamage(error: unknown): boolean {
  if (error instanceof DrydockError) return error.code === 'blob_damaged'
  return error instanceof LayerRefused || error instanceof SyntaxError
}

/**
 * True if the storage is unreachable or too slow, or if a disk is full, which then blocks all work.
 */
function isInTheWay(error: unknown): boolean {
  return error instanceof Error && ('code' in error || error.name === 'TimeoutError')
}

/** True if the error concerns the layer's files, which have disappeared or cannot be read. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && !(error instanceof DrydockError)
}
