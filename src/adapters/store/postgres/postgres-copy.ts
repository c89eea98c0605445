import { limits } from '../../../domain/limits.ts'
import { type CopiedTable, type CopySource, type CopyTarget, copiedTables, type Row } from '../copied-tables.ts'
import { connectionConfig, lockKey } from './connection-config.ts'
import { explained } from './postgres-error.ts'
import { createPostgresKysely } from './postgres-kysely.ts'
import { createPostgresStore, type PostgresStoreOptions } from './postgres-store.ts'
import { createSession, type Session } from './session.ts'

/** Creates or migrates the schema, then begins a transaction that excludes all other writers. */
async function begin(options: PostgresStoreOptions): Promise<Session> {
  await (await createPostgresStore(options)).close()
  const session = createSession({ config: connectionConfig(options), onConnect: async () => {} })
  await session.connected()
  await session.ask(`begin; select pg_advisory_xact_lock(${lockKey(options.schema, 'writer')})`)
  return session
}

export async function openPostgresSource(options: PostgresStoreOptions): Promise<CopySource> {
  const session = await begin(options)
  return {
    async *rows(table) {
      await session.ask(`declare copied cursor for select * from ${table} order by 1`)
      for (;;) {
        const { rows } = await session.ask(`fetch ${limits.database.copiedRows} from copied`)
        if (rows.length === 0) break
        yield rows as readonly Row[]
      }
      await session.ask('close copied')
    },
    close: session.close,
  }
}

/** Replaces the rows of an older copy of the same state. */
export async function openPostgresTarget(options: PostgresStoreOptions): Promise<CopyTarget> {
  const session = await begin(options)
  const db = createPostgresKysely(session.ask, String)
  const numbered = Object.entries(copiedTables).filter(([, column]) => column !== null)
  await session.ask(`truncate ${Object.keys(copiedTables).join(', ')}`)
  return {
    async insert(table: CopiedTable, rows) {
      await db
        .insertInto(table)
        .values(rows as never)
        .execute()
        .catch((error: unknown) => {
          throw explained(error, options.shown)
        })
    },
    async commit() {
      for (const [table, column] of numbered) {
        const next = `coalesce((select max(${column}) from ${table}), 0) + 1`
        await session.ask(`select setval(pg_get_serial_sequence('${table}', '${column}'), ${next}, false)`)
      }
      await session.ask('commit')
    },
    close: session.close,
  }
}
