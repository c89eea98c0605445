import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSqliteStore, openSqliteRecords } from '../../src/adapters/store/sqlite-store.ts'
import type { Records, Store } from '../../src/ports/store.ts'

/**
 * A store as the contract suites see it: `location` is all that another process needs to open the
 * same one.
 */
export interface StoreAdapter {
  readonly name: string
  createLocation(): Promise<string>
  open(location: string): Promise<Store>
  /** For reading beside a writer of another process. */
  openRecords(location: string): (Records & { close(): Promise<void> }) | null
  remove(location: string): Promise<void>
}

export const stores: readonly StoreAdapter[] = [
  {
    name: 'sqlite',
    createLocation: async () => join(await mkdtemp(join(tmpdir(), 'drydock-store-')), 'drydock.db'),
    open: (file) => createSqliteStore({ file, clock: createSystemClock() }),
    openRecords: openSqliteRecords,
    remove: (file) => rm(dirname(file), { recursive: true, force: true }),
  },
]
