import { DatabaseSync } from 'node:sqlite'
import { DrydockError } from '../../domain/drydock-error.ts'

export interface OwnerLock {
  release(): void
}

/**
 * Takes the sole ownership of a state, or returns null while another process has it. A SQLite file
 * held exclusively is a lock that the operating system drops with its process, however that dies.
 * DrydockError `state_unusable`.
 */
export function takeOwnerLock(file: string): OwnerLock | null {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma locking_mode = exclusive')
    database.exec('begin exclusive')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null
    // Nothing is in it; but who else may hold it is not known, so it is not replaced.
    throw new DrydockError('state_unusable', `${file} is no lock that can be taken: ${String(error)}.`, {
      todo: `While no drydock runs here, remove ${file}.`,
      cause: error,
    })
  }
}
