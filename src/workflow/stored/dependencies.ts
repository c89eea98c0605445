import type { KeptBlobs } from '../../ports/blobs.ts'
import type { Share } from '../share.ts'
import type { LayerSharing } from './share-layers.ts'

/** The parts that share the work with other machines. */
export interface SharingDependencies {
  readonly share: Share
  /** Gives dependency layers to other machines; null where there is no place for that. */
  readonly sharing: LayerSharing | null
  /** The place that keeps files of verifications beside this machine; null for none. */
  readonly blobs: KeptBlobs | null
}
