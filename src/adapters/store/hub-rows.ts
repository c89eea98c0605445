import type { Kysely, Selectable } from 'kysely'
import type { Role } from '../../domain/hub/role.ts'
import type { HubRecords, HubToken, HubWrites } from '../../ports/hub-rows.ts'
import type { Tables } from './tables.ts'

export function createHubRecords(db: Kysely<Tables>): HubRecords {
  return {
    async hubTokens() {
      return (await db.selectFrom('hub_tokens').selectAll().orderBy('id').execute()).map(toToken)
    },
    async hubToken(hash) {
      const row = await db.selectFrom('hub_tokens').selectAll().where('hash', '=', hash).executeTakeFirst()
      return row ? toToken(row) : null
    },
    async hubSession(hash) {
      const row = await db.selectFrom('hub_sessions').selectAll().where('hash', '=', hash).executeTakeFirst()
      if (row === undefined) return null
      const token = await db.selectFrom('hub_tokens').selectAll().where('id', '=', row.token).executeTakeFirst()
      if (token === undefined) return null
      return { hash, pageHash: row.page_hash, token: row.token, expiresAt: row.expires_at, of: toToken(token) }
    },
  }
}

export function writeHubRows(db: Kysely<Tables>, now: () => string): HubWrites {
  return {
    async insertHubToken({ name, role, hash, expiresAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('hub_tokens')
        .values({ name, role, hash, created_at: now(), expires_at: expiresAt, last_used_at: null })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },
    async deleteHubToken(name) {
      const row = await db.selectFrom('hub_tokens').select('id').where('name', '=', name).executeTakeFirst()
      if (row === undefined) return false
      await db.deleteFrom('hub_sessions').where('token', '=', row.id).execute()
      await db.deleteFrom('hub_tokens').where('id', '=', row.id).execute()
      return true
    },
    async markHubTokenUsed(id) {
      await db.updateTable('hub_tokens').set({ last_used_at: now() }).where('id', '=', id).execute()
    },
    async insertHubSession({ hash, pageHash, token, expiresAt }) {
      await db.deleteFrom('hub_sessions').where('expires_at', '<', now()).execute()
      await db.insertInto('hub_sessions').values({ hash, page_hash: pageHash, token, expires_at: expiresAt }).execute()
    },
    async deleteHubSession(hash) {
      await db.deleteFrom('hub_sessions').where('hash', '=', hash).execute()
    },
  }
}

function toToken(row: Selectable<Tables['hub_tokens']>): HubToken {
  return {
    ...{ id: row.id, name: row.name, role: row.role as Role, hash: row.hash },
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, lastUsedAt: row.last_used_at },
  }
}
