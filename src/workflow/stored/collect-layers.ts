import { keptLayers, layerOfFolder, sharedLayerFolder, sharedLayerId } from '../../domain/layer/shared-layer.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { BlobStore } from '../../ports/blobs.ts'
import type { Records, Store } from '../../ports/store.ts'
import { nameOfPut } from './share-layers.ts'

/**
 * Removes the rows of shared layers that are not kept. Without a row nobody finds a layer; the
 * machine whose space holds the blobs removes those.
 */
export async function forgetLayers({
  store,
  transact,
  now,
}: { readonly store: Pick<Records, 'machines'>; readonly now: Date } & Pick<Store, 'transact'>): Promise<void> {
  const shared = await store.machines({ kind: 'shared_layer', states: ['SHARED'] })
  const staying = new Set(keptLayers(shared, now).map(({ id }) => id))
  for (const layer of shared.filter(({ id }) => !staying.has(id))) {
    await transact(async (tx) => {
      const known = await tx.machineOf('shared_layer', layer.id)
      // The layer was used in the meantime.
      if (known?.version !== layer.version) return
      await tx.move(known, 'removed', { next: 'rest' })
    })
  }
}

export interface LayerBlobs {
  readonly blobs: BlobStore
  readonly artifacts: Pick<Artifacts, 'alone'>
  readonly store: Pick<Records, 'machineOf'>
  readonly space: string
  /** Names of the folders in the space. */
  readonly listed: readonly string[]
}

/**
 * Removes this machine's blobs that no row names, including those of a process that was killed
 * while storing. Returns the layers that they belonged to.
 */
export async function removeLayerBlobs(
  { blobs, artifacts, store, space, listed }: LayerBlobs,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const removed: string[] = []
  for (const name of listed.map(layerOfFolder).filter((each) => each !== null)) {
    const remove = async () => {
      const known = await store.machineOf('shared_layer', sharedLayerId(name))
      if (known?.state === 'SHARED' && known.data.space === space) return
      await blobs.remove({ space, name: sharedLayerFolder(name) }, signal)
      removed.push(name)
    }
    // The lock keeps the removal apart from a running upload.
    await artifacts.alone(nameOfPut(name), remove, signal)
  }
  return removed
}
