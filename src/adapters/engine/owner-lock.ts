import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DrydockError } from '../../domain/drydock-error.ts'
import { lacksSpace } from '../../processes/lacks-space.ts'

export interface OwnerLock {
  release(): void
}

/**
 * Takes the sole ownership of a state, or returns null while another process has it. A SQLite file
 * held exclusively is a lock that the operating system drops with its process, however that dies.
 * DrydockError `state_unusable`, `disk_full`.
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
    // Nothing is in it; but who else may hold it is not known, so it is not replaced.
    throw new DrydockError('state_unusable', `Drydock cannot lock ${file}: ${String(error)}.`, {
      todo: `Make sure that no drydock runs here, then remove ${file}.`,
      cause: error,
    })
  }
}
