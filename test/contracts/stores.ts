import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { lockKey } from '../../src/adapters/store/postgres/connection-config.ts'
import { createPostgresStore, openPostgresRecords } from '../../src/adapters/store/postgres/postgres-store.ts'
import { createSqliteStore, openSqliteRecords } from '../../src/adapters/store/sqlite-store.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { StateReader } from '../../src/ports/store.ts'
import { createDatabase, psql, sharedServer } from '../postgres/server.ts'
import { createMemoryState, createMemoryStore, type MemoryState } from '../world/store.ts'

/**
 * A store for the contract suites: `location` is all that another process needs to open the same
 * one.
 */
export interface StoreAdapter {
  readonly name: string
  createLocation(): Promise<string>
  open(location: string): Promise<JobStore>
  /** Opens the store for reading while another process writes. */
  openRecords(location: string): Promise<StateReader>
  remove(location: string): Promise<void>
}

/** A store whose transactions can be lost before they are committed. */
export interface LosingAdapter extends Pick<StoreAdapter, 'name' | 'createLocation' | 'remove'> {
  /** `isLost` is called before each commit of a transaction that has written. */
  openLosing(location: string, isLost: () => boolean): Promise<JobStore>
}

let database: ReturnType<typeof createDatabase> | undefined

export function placeOf(location: string): {
  readonly url: string
  readonly schema: string
  readonly shown: string
  readonly id: string
} {
  return { ...JSON.parse(location), shown: 'the test server', id: 'test' }
}

export const sqlite: StoreAdapter = {
  name: 'sqlite',
  createLocation: async () => join(await mkdtemp(join(tmpdir(), 'drydock-store-')), 'drydock.db'),
  open: (file) => createSqliteStore({ file, clock: createSystemClock() }),
  openRecords: async (file) => openSqliteRecords(file),
  remove: (file) => rm(dirname(file), { recursive: true, force: true }),
}

const states = new Map<string, MemoryState>()

function stateAt(location: string): MemoryState {
  const state = states.get(location)
  if (state === undefined) throw new Error(`no state ${location}`)
  return state
}

export const memory: StoreAdapter & LosingAdapter = {
  name: 'memory',
  async createLocation() {
    const location = randomBytes(6).toString('hex')
    states.set(location, await createMemoryState())
    return location
  },
  open: (location) => createMemoryStore({ state: stateAt(location), clock: createSystemClock() }),
  openLosing: (location, isLost) => createMemoryStore({ state: stateAt(location), clock: createSystemClock(), isLost }),
  openRecords: async (location) => stateAt(location).records,
  remove: async (location) => void states.delete(location),
}

export const postgres: StoreAdapter & LosingAdapter = {
  name: 'postgres',
  // Schemas of one database, which are created faster than databases.
  createLocation: async () => {
    database ??= createDatabase()
    return JSON.stringify({ url: (await database).url, schema: `drydock_${randomBytes(6).toString('hex')}` })
  },
  open: (location) => createPostgresStore({ ...placeOf(location), clock: createSystemClock() }),
  openLosing: (location, isLost) =>
    createPostgresStore({
      ...placeOf(location),
      clock: createSystemClock(),
      async beforeCommit() {
        if (isLost()) await endTransactions(placeOf(location).schema)
      },
    }),
  openRecords: (location) => openPostgresRecords(placeOf(location)),
  // The schemas end with the server, after the test run.
  remove: async () => {},
}

/** Ends the sessions with a transaction on the state, as an administrator may. */
export async function endTransactions(schema: string): Promise<void> {
  psql(
    await sharedServer(),
    `select pg_terminate_backend(pid) from pg_stat_activity where xact_start is not null
      and pid in (select pid from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock'
        and (classid::int8 << 32 | objid::int8) = ${lockKey(schema, 'writer')})`,
  )
}

/** The stores that `npm test` covers. */
export const stores: readonly StoreAdapter[] = [sqlite, memory]
