import { limits } from '../limits.ts'
import type { Machine, MachineTable } from '../machine.ts'

/** SHARED: other machines may fetch it. REMOVED: retention has taken it away. */
export type SharedLayerState = 'SHARED' | 'REMOVED'

export type SharedLayerEvent = 'removed' | 'shared_again'

export const sharedLayerTable: MachineTable<SharedLayerState, SharedLayerEvent> = {
  SHARED: { removed: 'REMOVED' },
  REMOVED: { shared_again: 'SHARED' },
}

/** Where a dependency layer of a base commit is kept as blobs, for all machines of the state. */
export interface SharedLayerData {
  /** A digest of its key and of the programs of the machine that has made it. */
  readonly name: string
  /** A digest of all else that decides what is in it, platform included. */
  readonly key: string
  /** The space of the machine that has put it. */
  readonly space: string
  /** The digest of its index. */
  readonly index: string
  /** Bytes of its blobs. */
  readonly bytes: number
  /** ISO 8601, no more exact than `limits.sharedLayers.touchMs`. */
  readonly usedAt: string
}

export type SharedLayer = Machine<SharedLayerState, SharedLayerData, 'shared_layer'>

/** The pieces of a packed layer, in order. It is a blob itself. */
export interface LayerIndex {
  readonly version: 1
  readonly parts: readonly { readonly digest: string; readonly bytes: number }[]
}

export function sharedLayerId(name: string): string {
  return `layer/${name}`
}

const folderPrefix = 'layer-'

/** The name of its folder of blobs, which no verification has. */
export function sharedLayerFolder(name: string): string {
  return `${folderPrefix}${name}`
}

/** The name of the layer whose blobs are in a folder; null for a folder of something else. */
export function layerOfFolder(folder: string): string | null {
  return folder.startsWith(folderPrefix) ? folder.slice(folderPrefix.length) : null
}

/** The shared layers that stay: those used last, as long as they are not too old, many or large. */
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
