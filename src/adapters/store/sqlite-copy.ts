import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { limits } from '../../domain/limits.ts'
import { syncFolder } from '../../files/sync-folder.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CopySource, CopyTarget, Row } from './copied-tables.ts'
import { openForWriting } from './sqlite-dialect.ts'
import { whenUnlocked } from './sqlite-error.ts'
import { createSqliteStore } from './sqlite-store.ts'

interface SqliteEnd {
  readonly file: string
  readonly clock: Clock
}

/** Migrates the file, and reads it while no process writes. */
export async function openSqliteSource({ file, clock }: SqliteEnd): Promise<CopySource> {
  await (await createSqliteStore({ file, clock })).close()
  const database = await openForWriting(file)
  await whenUnlocked(async () => database.exec('begin immediate'))
  return {
    async *rows(table) {
      let chunk: Row[] = []
      for (const row of database.prepare(`select * from ${table} order by 1`).iterate()) {
        chunk.push({ ...row } as Row)
        if (chunk.length < limits.database.copiedRows) continue
        yield chunk
        chunk = []
      }
      if (chunk.length > 0) yield chunk
    },
    close: async () => database.close(),
  }
}

/** Fills a new file, which replaces the existing one once it is complete. */
export async function openSqliteTarget({ file, clock }: SqliteEnd): Promise<CopyTarget> {
  const made = `${file}.copy`
  await removeDatabase(made)
  await (await createSqliteStore({ file: made, clock })).close()
  const database = await openForWriting(made)
  database.exec('begin immediate')
  return {
    async insert(table, rows) {
      const columns = Object.keys(rows[0] ?? {})
      const places = columns.map(() => '?').join(', ')
      const insert = database.prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
      for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null))
    },
    async commit() {
      database.exec('commit')
      database.close()
      await removeDatabase(file)
      await rename(made, file)
      await syncFolder(dirname(file))
    },
    async close() {
      if (database.isOpen) database.close()
      await removeDatabase(made)
    },
  }
}

/** Also removes the log beside the file, which belongs to it alone. */
async function removeDatabase(file: string): Promise<void> {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) await rm(name, { force: true })
}
