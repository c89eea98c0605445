import { DatabaseSync, StatementSync } from 'node:sqlite'
import { createRecords } from '../../src/adapters/store/records.ts'
import { createSqliteKysely } from '../../src/adapters/store/sqlite-kysely.ts'
import {
  createSqliteStore,
  type SqliteConnections,
  type SqliteStoreOptions,
} from '../../src/adapters/store/sqlite-store.ts'
import type { JobStore } from '../../src/ports/jobs.ts'
import type { StateReader } from '../../src/ports/store.ts'
import { createMemoryClock } from './clock.ts'

/** A state in memory. Like a file, it survives the stores that are opened on it. */
export interface MemoryState {
  readonly connections: SqliteConnections
  /** Reads while others write. */
  readonly records: StateReader
}

/** SQLite's result code for a lock of another connection. */
const busy = 5

/** The last committed state, which all stores on it read. */
class Committed extends DatabaseSync {
  override prepare(sql: string): StatementSync {
    // Changes are replayed on this connection itself, which `data_version` does not count.
    return super.prepare(sql === 'pragma data_version' ? 'select total_changes() as data_version' : sql)
  }

  override close(): void {}
}

const writes = /\b(?:insert|update|delete)\b/i

/**
 * The connection of the writers of a state. SQLite in memory cannot read the committed state during
 * an open transaction, so the statements of each committed transaction are repeated on a copy,
 * which costs a tenth of a changeset.
 */
class Rows extends DatabaseSync {
  readonly #committed: DatabaseSync
  #written: (() => void)[] = []

  constructor(content: Uint8Array, committed: DatabaseSync) {
    super(':memory:')
    this.deserialize(content)
    this.#committed = committed
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql)
    if (!writes.test(sql)) return statement
    let again: StatementSync | undefined
    const noted =
      (way: 'run' | 'all' | 'get') =>
      (...values: Parameters<StatementSync['run']>) => {
        const result = Reflect.apply(StatementSync.prototype[way], statement, values)
        if (this.isTransaction) {
          this.#written.push(() => {
            again ??= this.#committed.prepare(sql)
            again[way](...values)
          })
        }
        return result
      }
    return Object.assign(statement, { run: noted('run'), all: noted('all'), get: noted('get') })
  }

  override exec(sql: string): void {
    // Another store on this state is in a transaction, like another process with a file.
    if (sql === 'begin immediate' && this.isTransaction) throw Object.assign(new Error('is locked'), { errcode: busy })
    super.exec(sql)
    if (sql !== 'commit' && sql !== 'rollback') return
    const written = this.#written
    this.#written = []
    if (sql === 'rollback' || written.length === 0) return
    this.#committed.exec('begin')
    for (const write of written) write()
    this.#committed.exec('commit')
  }

  override close(): void {}
}

let empty: Promise<Uint8Array> | undefined

/** The content of a new state; the real store's migrations make it once in each process. */
async function makeEmpty(): Promise<Uint8Array> {
  const database = new DatabaseSync(':memory:')
  const connections = { forWriting: async () => database, forReading: () => database }
  await createSqliteStore({ file: ':memory:', connections, clock: createMemoryClock() })
  return database.serialize()
}

export async function createMemoryState(): Promise<MemoryState> {
  empty ??= makeEmpty()
  const content = await empty
  const committed = new Committed(':memory:')
  committed.deserialize(content)
  const rows = new Rows(content, committed)
  return {
    connections: { forWriting: async () => rows, forReading: () => committed },
    records: { ...createRecords(createSqliteKysely(committed, String)), close: async () => {} },
  }
}

export interface MemoryStoreOptions extends Omit<SqliteStoreOptions, 'file' | 'connections'> {
  readonly state?: MemoryState
  /**
   * Called before each commit; true loses the transaction, as with its connection to a server. A
   * lost transaction is rolled back and starts again; others may write in between.
   */
  readonly isLost?: () => boolean
}

/** The real store on a state in memory, a new one by default. */
export async function createMemoryStore({ state, isLost, ...options }: MemoryStoreOptions): Promise<JobStore> {
  const { connections } = state ?? (await createMemoryState())
  const store = await createSqliteStore({ ...options, file: 'memory', connections })
  if (isLost === undefined) return store
  const lost = new Error('the transaction was lost')
  return {
    ...store,
    async transact(work) {
      for (;;) {
        const done = store.transact(async (tx) => {
          const result = await work(tx)
          if (tx.hasWritten() && isLost()) throw lost
          return { result }
        })
        const outcome = await done.catch((error: unknown) => {
          if (error !== lost) throw error
          return null
        })
        if (outcome !== null) return outcome.result
      }
    },
  }
}
