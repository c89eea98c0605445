import type { KeptBlobs } from '../../ports/blobs.ts'
import type { Share } from '../share.ts'
import type { LayerSharing } from './share-layers.ts'

/** The parts that share the work with other machines. */
export interface SharingDependencies {
  readonly share: Share
  /** Shares dependency layers with other machines; null without a storage for them. */
  readonly sharing: LayerSharing | null
  /** Remote storage for the files of verifications; null if there is none. */
  readonly blobs: KeptBlobs | null
}
