import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { StateAddress } from '../../domain/worker/shared-state.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HubOpening } from '../../ports/hub/hub-rows.ts'
import type { WorkerRole, WorkerRoleWanted } from '../../ports/hub/worker-role.ts'
import type { WorkerSign } from '../../ports/hub/worker-sign.ts'
import type { JobStore, SharedJobStore } from '../../ports/jobs.ts'
import type { ServerWait } from '../../ports/owner.ts'
import type { Records, StateReader } from '../../ports/store.ts'
import { emptyRecords } from './empty-records.ts'
import { createSqliteStore, openSqliteRecords } from './sqlite-store.ts'
import { makeStateFolder } from './state-folder.ts'
import { createStatePlace, readStatePlace, type StatePlace, writeStatePlace } from './state-place.ts'

/** A server that the user has configured. */
export interface ConfiguredServer {
  /** Holds the password. */
  readonly url: string
  /** What may be printed of it. */
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
  /** As the owner of the state, who is told before each commit what it sees. */
  readonly owner?: boolean
  readonly beforeCommit?: (records: Records) => void | Promise<void>
  /** The wait of a process that works. A file is never away. */
  readonly wait?: ServerWait
}

/** Where the rows of a state are: a file in its folder, or a schema on a server. */
export interface Database {
  /** Whether anything was ever stored. */
  isThere(): boolean
  /** Makes what is not there but the folder. DrydockError `state_elsewhere`, and the store's. */
  open(opening?: Opening): Promise<JobStore>
  /** The same beside workers of other machines; null for a file, which no other machine reaches. */
  share(opening?: Pick<Opening, 'beforeCommit' | 'wait'>): Promise<SharedJobStore | null>
  /** Who works on the rows beside each other; nobody for a file. */
  workers(): Promise<readonly WorkerSign[]>
  /** Asks the workers of a host to end in good order; nobody is there for a file. */
  drain(host: string): Promise<readonly string[]>
  /** Makes a role for workers; null for a file. */
  makeWorkerRole(wanted: WorkerRoleWanted): Promise<WorkerRole | null>
  /** What others need to find the rows on the server; null for a file. */
  address(): Promise<StateAddress | null>
  /** Makes the folder and an empty state, if they are not there. */
  ensure(): Promise<void>
  /** Reads beside the owner; makes nothing. */
  openRecords(): StateReader
  /**
   * What the server is, null for a file. DrydockError `database_unreachable`, `database_unusable`,
   * `state_elsewhere`.
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

type Stored = Omit<Database, 'ensure'>

export const sqliteFile = (state: string) => join(state, 'drydock.db')

function inFile({ state, clock, redact }: DatabaseOptions): Stored {
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

/** DrydockError `state_elsewhere` when the state is on a server that is not configured any more. */
function refuseLeft(state: string): void {
  const place = readStatePlace(state)
  if (place?.kept !== 'postgres') return
  throw new DrydockError('state_elsewhere', `The state of this repository is on PostgreSQL at ${place.server}.`, {
    todo: 'Set DRYDOCK_DATABASE_URL to it. To bring the state back into a file, set it and run: drydock state copy --to sqlite',
  })
}

function onServer({ state, clock, redact }: DatabaseOptions, server: ConfiguredServer): Stored {
  const schema = schemaName(state)
  /** Shared by all that this process opens there. */
  const reach = { isReached: false }
  let shared: Promise<StateReader> | undefined

  async function read(): Promise<StateReader> {
    const place = placeOn(state)
    if (place === null) return emptyRecords
    // Loaded only here: who keeps the state in a file needs nothing of it.
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
    // One for the whole process: connections are dear, and an idle one keeps no process alive.
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
 * The place of a state that is kept on a server, null for a new one. DrydockError
 * `state_elsewhere` while the state is in a file.
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
  // Its file is gone.
  await writeStatePlace(state, place)
  return place
}

/** Of the state's folder: the name of the repository, and the hash of its path. */
export function schemaName(state: string): string {
  const name = basename(state)
  const [, words = '', hash = ''] = /^(.*)-([0-9a-f]{12})$/.exec(name) ?? []
  return `drydock_${words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}_${hash}`
}

/** Reads through what `open` gives at the first question; closing it leaves that open. */
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
