import { DatabaseSync } from 'node:sqlite'

export interface OwnerLock {
  release(): void
}

/**
 * Takes the sole ownership of a state, or returns null while another process has it. A SQLite file held exclusively is a lock that the operating
 * system drops with its process, however that dies.
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
    throw error
  }
}
