import { keptLayers, layerOfFolder, sharedLayerFolder, sharedLayerId } from '../../domain/layer/shared-layer.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { BlobStore } from '../../ports/blobs.ts'
import type { Records, Store } from '../../ports/store.ts'
import { nameOfPut } from './share-layers.ts'

/**
 * Takes away the rows of shared layers that are not kept. Nobody finds them from then on; the
 * machine whose space they are in removes their blobs.
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
      // It was used meanwhile.
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
  /** The folders of the space. */
  readonly listed: readonly string[]
}

/**
 * Removes the blobs of this machine's space that no row names, also those that a process had put
 * when it was killed. Returns the layers that they were of.
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
    // Not while they are being put.
    await artifacts.alone(nameOfPut(name), remove, signal)
  }
  return removed
}
