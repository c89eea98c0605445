import type { SpoiledTest } from '../../domain/gate/canaries/spoiling.ts'

/** A test file, or a snapshot, with other expectations. */
export interface SpoiledFile {
  readonly path: string
  readonly text: string
  /** The file of the tests. */
  readonly of: string
  /** The spoiled tests whose outcome matters. */
  readonly tests: readonly SpoiledTest[]
  readonly all: readonly SpoiledTest[]
  /** The path of the file on the base commit, and its text there. */
  readonly from: string
  readonly before: string | null
}
