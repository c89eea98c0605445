import type { KeptBlobs } from '../../ports/blobs.ts'
import type { Share } from '../share.ts'
import type { LayerSharing } from './share-layers.ts'

/** What other machines have to do with the work. */
export interface SharingDependencies {
  readonly share: Share
  /** Gives dependency layers to other machines; null where there is no place for that. */
  readonly sharing: LayerSharing | null
  /** Where files of verifications are kept beside this machine; null for nowhere. */
  readonly blobs: KeptBlobs | null
}
