import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { StateAddress } from '../../domain/worker/shared-state.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HubOpening } from '../../ports/hub/hub-rows.ts'
import type { WorkerRole, WorkerRoleOptions } from '../../ports/hub/worker-role.ts'
import type { WorkerSign } from '../../ports/hub/worker-sign.ts'
import type { JobStore, SharedJobStore } from '../../ports/jobs.ts'
import type { ServerWait } from '../../ports/owner.ts'
import type { Records, StateReader } from '../../ports/store.ts'
import { emptyRecords } from './empty-records.ts'
import { createSqliteStore, openSqliteRecords } from './sqlite-store.ts'
import { makeStateFolder } from './state-folder.ts'
import { createStatePlace, readStatePlace, type StatePlace, writeStatePlace } from './state-place.ts'

/** A database server that the user has configured. */
export interface ConfiguredServer {
  /** The URL, including the password. */
  readonly url: string
  /** The address without the password, for messages. */
  readonly shown: string
}

export interface DatabaseOptions {
  readonly state: string
  /** Null for the file in the state's folder. */
  readonly server: ConfiguredServer | null
  readonly clock: Clock
  readonly redact: (text: string) => string
}

interface Opening extends HubOpening {
  /**
   * True to open as the owner of the state, whose `beforeCommit` sees the records before each
   * commit.
   */
  readonly owner?: boolean
  readonly beforeCommit?: (records: Records) => void | Promise<void>
  /**
   * The waiting rules of a working process, for when the server is unreachable. A file is always
   * reachable.
   */
  readonly wait?: ServerWait
}

/** The storage of a state's rows: a file in its folder, or a schema on a server. */
export interface Database {
  /** True if anything was ever stored. */
  isThere(): boolean
  /**
   * Creates everything that is missing except the folder. Throws DrydockError `state_elsewhere`,
   * and the store's errors.
   */
  open(opening?: Opening): Promise<JobStore>
  /**
   * Opens the store alongside workers of other machines; null for a file, which no other machine
   * can reach.
   */
  share(opening?: Pick<Opening, 'beforeCommit' | 'wait'>): Promise<SharedJobStore | null>
  /** The workers that share the rows; none for a file. */
  workers(): Promise<readonly WorkerSign[]>
  /** Asks the workers of a host to drain, and returns their ids; none for a file. */
  drain(host: string): Promise<readonly string[]>
  /** Creates a database role for workers; null for a file. */
  makeWorkerRole(wanted: WorkerRoleOptions): Promise<WorkerRole | null>
  /** The address by which workers find the rows on the server; null for a file. */
  address(): Promise<StateAddress | null>
  /** Creates the folder and an empty state if they do not exist. */
  ensure(): Promise<void>
  /** Opens the records for reading alongside the owner; creates nothing. */
  openRecords(): StateReader
  /**
   * The server's version; null for a file. Throws DrydockError `database_unreachable`,
   * `database_unusable` or `state_elsewhere`.
   */
  check(): Promise<string | null>
}

export function createDatabase(options: DatabaseOptions): Database {
  const { state, server } = options
  const database = server === null ? inFile(options) : onServer(options, server)
  return {
    ...database,
    async ensure() {
      await makeStateFolder(state)
      if (!database.isThere()) await (await database.open()).close()
    },
  }
}

type StoreAccess = Omit<Database, 'ensure'>

export const sqliteFile = (state: string) => join(state, 'drydock.db')

function inFile({ state, clock, redact }: DatabaseOptions): StoreAccess {
  const file = sqliteFile(state)
  return {
    isThere: () => existsSync(file),
    async open({ beforeCommit } = {}) {
      refuseLeft(state)
      return createSqliteStore({ file, clock, redact, ...(beforeCommit && { beforeCommit }) })
    },
    share: async () => null,
    workers: async () => [],
    drain: async () => [],
    makeWorkerRole: async () => null,
    address: async () => null,
    openRecords() {
      refuseLeft(state)
      return openSqliteRecords(file)
    },
    async check() {
      refuseLeft(state)
      return null
    },
  }
}

/**
 * Throws DrydockError `state_elsewhere` if the state is on a server that is no longer configured.
 */
function refuseLeft(state: string): void {
  const place = readStatePlace(state)
  if (place?.kept !== 'postgres') return
  throw new DrydockError('state_elsewhere', `The state of this repository is on PostgreSQL at ${place.server}.`, {
    todo: 'Set DRYDOCK_DATABASE_URL to it. To bring the state back into a file, set it and run: drydock state copy --to sqlite',
  })
}

function onServer({ state, clock, redact }: DatabaseOptions, server: ConfiguredServer): StoreAccess {
  const schema = schemaName(state)
  /** Shared by all connections of this process. */
  const reach = { isReached: false }
  let shared: Promise<StateReader> | undefined

  async function read(): Promise<StateReader> {
    const place = placeOn(state)
    if (place === null) return emptyRecords
    // Loaded only here, since a state in a file does not need it.
    const { openPostgresRecords } = await import('./postgres/postgres-store.ts')
    return openPostgresRecords({ ...server, schema, id: place.id, madeAt: madeAt(place), reach })
  }

  async function openAs(
    role: 'owner' | 'worker' | null,
    { isHub = false, beforeCommit, wait }: Omit<Opening, 'owner'>,
  ) {
    const place = placeOn(state) ?? (await placeOnServer(state, server))
    const { createPostgresStore } = await import('./postgres/postgres-store.ts')
    const own = { ...(beforeCommit && { beforeCommit }), ...(role !== null && { role }), ...(wait && { wait }) }
    const given = { ...server, schema, id: place.id, madeAt: madeAt(place), clock, redact, isHub, reach }
    const store = await createPostgresStore({ ...given, ...own })
    if (!place.made) await writeStatePlace(state, { ...place, made: true })
    return store
  }

  return {
    isThere: () => readStatePlace(state)?.kept === 'postgres',
    open: ({ owner = false, ...opening } = {}) => openAs(owner ? 'owner' : null, opening),
    share: (opening = {}) => openAs('worker', opening),
    workers: async () => (await import('./postgres/read-workers.ts')).readWorkers({ ...server, schema }),
    drain: async (host) => (await import('./postgres/read-workers.ts')).drainWorkers({ ...server, schema }, host),
    makeWorkerRole: async (wanted) =>
      (await import('./postgres/worker-role.ts')).makeWorkerRole({ ...server, schema }, wanted),
    async address() {
      const place = placeOn(state) ?? (await placeOnServer(state, server))
      return { id: place.id, schema }
    },
    // One connection for the whole process: connections are expensive, and an idle one does not
    // keep the process alive.
    openRecords() {
      return lazyReader(async () => {
        shared ??= read()
        const reader = await shared.catch((error: unknown) => {
          shared = undefined
          throw error
        })
        if (reader === emptyRecords) shared = undefined
        return reader
      })
    },
    async check() {
      const { tryServer } = await import('./postgres/check-server.ts')
      const place = placeOn(state)
      return tryServer({ ...server, schema, id: place?.id ?? null, madeAt: place && madeAt(place) })
    },
  }
}

const madeAt = ({ made, server }: StatePlace) => (made ? server : null)

/**
 * The record of a state on a server; null for a new one. Throws DrydockError `state_elsewhere`
 * while the state is in a file.
 */
function placeOn(state: string): StatePlace | null {
  const place = readStatePlace(state)
  if (place?.kept === 'postgres') return place
  if (!existsSync(sqliteFile(state))) return null
  throw new DrydockError('state_elsewhere', `The state of this repository is in a file: ${sqliteFile(state)}`, {
    todo: 'Bring it to the configured server with: drydock state copy --to postgres; or unset DRYDOCK_DATABASE_URL.',
  })
}

async function placeOnServer(state: string, { shown }: ConfiguredServer): Promise<StatePlace> {
  const place = { id: randomUUID(), kept: 'postgres', server: shown } as const
  if (readStatePlace(state) === null) return createStatePlace(state, place)
  // The record belongs to a state whose file is gone, so it is replaced.
  await writeStatePlace(state, place)
  return place
}

/**
 * Derives the name from the state's folder: the name of the repository, and the hash of its path.
 */
export function schemaName(state: string): string {
  const name = basename(state)
  const [, words = '', hash = ''] = /^(.*)-([0-9a-f]{12})$/.exec(name) ?? []
  return `drydock_${words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}_${hash}`
}

/** A reader that calls `open` at the first query; closing it does not close that connection. */
function lazyReader(open: () => Promise<StateReader>): StateReader {
  const names = Object.keys(emptyRecords) as (keyof StateReader)[]
  const asked = names.map((name) => {
    const ask = async (...given: readonly unknown[]) => {
      const reader = await open()
      return (reader[name] as (...values: readonly unknown[]) => unknown)(...given)
    }
    return [name, ask]
  })
  return { ...(Object.fromEntries(asked) as StateReader), close: async () => {} }
}
