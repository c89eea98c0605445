import pg from 'pg'
import { limits } from '../../../domain/limits.ts'
import { createRecords } from '../records.ts'
import { connectionConfig, type PostgresPlace } from './connection-config.ts'
import { named } from './named-statements.ts'
import { explained } from './postgres-error.ts'
import { createPostgresKysely } from './postgres-kysely.ts'
import type { Session } from './session.ts'
import { withPatience } from './with-patience.ts'

/**
 * Reads on separate connections, which never wait for a writer, and repeats reads after a lost
 * connection.
 */
export function openReader(place: PostgresPlace, patiently: typeof withPatience = withPatience) {
  const connections = new pg.Pool({
    ...connectionConfig(place),
    max: limits.database.readers,
    allowExitOnIdle: true,
  })
  connections.on('error', () => {})
  const once: Session['ask'] = async (text, values = []) => connections.query(named(text, values))
  let isOpen = true
  const patient: Session['ask'] = (text, values) =>
    patiently(() => once(text, values)).catch((error: unknown) => {
      throw explained(error, place.shown)
    })
  const reader = createPostgresKysely(patient, String)
  const close = async () => {
    if (isOpen) {
      isOpen = false
      await connections.end()
    }
  }
  return { records: createRecords(reader), pool: { reader, ask: once, patient, close } }
}
