import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DrydockError } from '../../domain/drydock-error.ts'
import { lacksSpace } from '../../processes/lacks-space.ts'

export interface OwnerLock {
  release(): void
}

/**
 * Takes sole ownership of a state, or returns null while another process has it. The lock is a
 * SQLite file held exclusively, which the operating system releases when the process dies, however
 * it dies. Throws DrydockError `state_unusable` or `disk_full`.
 */
export function takeOwnerLock(file: string): OwnerLock | null {
  let database: DatabaseSync | null = null
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    const held = database
    database.exec('pragma locking_mode = exclusive')
    database.exec('begin exclusive')
    return { release: () => held.close() }
  } catch (error) {
    database?.close()
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null
    if (lacksSpace(error, dirname(file))) {
      throw new DrydockError('disk_full', `There is no space left for ${file}.`, {
        todo: 'Free some space and run the same command again. Nothing is lost.',
        cause: error,
      })
    }
    // The file is empty, but another process may hold its lock, so it is not replaced.
    throw new DrydockError('state_unusable', `Drydock cannot lock ${file}: ${String(error)}.`, {
      todo: `Make sure that no drydock runs here, then remove ${file}.`,
      cause: error,
    })
  }
}
