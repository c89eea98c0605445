import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CopiedState } from '../../ports/copied-state.ts'
import { copyTables } from './copied-tables.ts'
import { type ConfiguredServer, type DatabaseOptions, schemaName, sqliteFile } from './database.ts'
import { openSqliteSource, openSqliteTarget } from './sqlite-copy.ts'
import { makeStateFolder } from './state-folder.ts'
import { readStatePlace, writeStatePlace } from './state-place.ts'

/**
 * Copies the rows of a state to a server, or back into its file. From then on the state is at the
 * new place, and the old copy stays unchanged. Null while another process owns the state. Throws
 * DrydockError `already_done`, `not_found` or `state_elsewhere`, and the errors of both stores.
 */
export async function copyState({ to, takeLock, ...options }: Copying): Promise<CopiedState | null> {
  await makeStateFolder(options.state)
  const lock = takeLock()
  if (lock === null) return null
  try {
    return await (to === 'sqlite' ? toFile(options) : toServer(options, to))
  } finally {
    lock.release()
  }
}

interface Copying extends DatabaseOptions {
  readonly to: 'sqlite' | ConfiguredServer
  /** Takes the ownership of the state; null while another process has it. */
  readonly takeLock: () => { release(): void } | null
}

async function toServer({ state, clock, redact }: DatabaseOptions, to: ConfiguredServer): Promise<CopiedState> {
  const file = sqliteFile(state)
  const place = readStatePlace(state)
  if (place?.kept === 'postgres') throw alreadyThere(`on PostgreSQL at ${place.server}`)
  if (!existsSync(file)) {
    throw new DrydockError('not_found', 'This repository has no state yet that could be copied.', {
      todo: 'Set DRYDOCK_DATABASE_URL, and the first run makes its state there.',
    })
  }
  const { openPostgresTarget } = await import('./postgres/postgres-copy.ts')
  const id = place?.id ?? randomUUID()
  // Recorded before the schema is created, so that an interrupted copy can be repeated.
  await writeStatePlace(state, { id, kept: 'sqlite', server: to.shown })
  await using closing = new AsyncDisposableStack()
  const source = await openSqliteSource({ file, clock })
  closing.defer(source.close)
  const target = await openPostgresTarget({ ...to, schema: schemaName(state), id, clock, redact })
  closing.defer(target.close)
  const rows = await copyTables(source, target)
  await writeStatePlace(state, { id, kept: 'postgres', server: to.shown, made: true })
  return { from: file, to: `PostgreSQL at ${to.shown}`, rows }
}

async function toFile({ state, server, clock, redact }: DatabaseOptions): Promise<CopiedState> {
  const file = sqliteFile(state)
  const place = readStatePlace(state)
  if (place?.kept !== 'postgres') throw alreadyThere(`in a file: ${file}`)
  if (server === null) {
    throw new DrydockError('state_elsewhere', `The state of this repository is on PostgreSQL at ${place.server}.`, {
      todo: 'Set DRYDOCK_DATABASE_URL to it for this command.',
    })
  }
  const { openPostgresSource } = await import('./postgres/postgres-copy.ts')
  await using closing = new AsyncDisposableStack()
  const schema = schemaName(state)
  const source = await openPostgresSource({ ...server, schema, id: place.id, madeAt: place.server, clock, redact })
  closing.defer(source.close)
  const target = await openSqliteTarget({ file, clock })
  closing.defer(target.close)
  const rows = await copyTables(source, target)
  await writeStatePlace(state, { ...place, kept: 'sqlite' })
  return { from: `PostgreSQL at ${server.shown}`, to: file, rows }
}

function alreadyThere(where: string): DrydockError {
  return new DrydockError('already_done', `The state of this repository is ${where} already.`, {
    todo: 'Nothing is to be done. See: drydock status',
  })
}
