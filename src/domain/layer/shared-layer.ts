import { limits } from '../limits.ts'
import type { Machine, MachineTable } from '../machine.ts'

/** SHARED: other machines may fetch the layer. REMOVED: retention has deleted it. */
export type SharedLayerState = 'SHARED' | 'REMOVED'

export type SharedLayerEvent = 'removed' | 'shared_again'

export const sharedLayerTable: MachineTable<SharedLayerState, SharedLayerEvent> = {
  SHARED: { removed: 'REMOVED' },
  REMOVED: { shared_again: 'SHARED' },
}

/** The blobs of a base commit's dependency layer, available to all machines of the state. */
export interface SharedLayerData {
  /** A digest of the layer's key and of the programs of the machine that made it. */
  readonly name: string
  /** A digest of everything else that decides the content, including the platform. */
  readonly key: string
  /** The space of the machine that stored the layer. */
  readonly space: string
  /** Digest of the layer's index. */
  readonly index: string
  /** Bytes of the layer's blobs. */
  readonly bytes: number
  /** ISO 8601, updated at most every `limits.sharedLayers.touchMs`. */
  readonly usedAt: string
}

export type SharedLayer = Machine<SharedLayerState, SharedLayerData, 'shared_layer'>

/** The pieces of a packed layer, in order. The index is stored as a blob, too. */
export interface LayerIndex {
  readonly version: 1
  readonly parts: readonly { readonly digest: string; readonly bytes: number }[]
}

export function sharedLayerId(name: string): string {
  return `layer/${name}`
}

const folderPrefix = 'layer-'

/** The name of the layer's folder of blobs, which cannot be that of a verification. */
export function sharedLayerFolder(name: string): string {
  return `${folderPrefix}${name}`
}

/** The name of the layer whose blobs are in a folder; null for a folder of something else. */
export function layerOfFolder(folder: string): string | null {
  return folder.startsWith(folderPrefix) ? folder.slice(folderPrefix.length) : null
}

/**
 * The shared layers to keep: the most recently used ones within the limits of age, number and size.
 */
export function keptLayers(layers: readonly SharedLayer[], now: Date): readonly SharedLayer[] {
  const { days, most, bytes } = limits.sharedLayers
  const oldest = new Date(now.getTime() - days * 86_400_000).toISOString()
  let left = bytes
  return layers
    .toSorted((a, b) => (a.data.usedAt < b.data.usedAt ? 1 : -1))
    .filter(({ data }, i) => {
      left -= data.bytes
      return i < most && left >= 0 && data.usedAt >= oldest
    })
}
