import type { Kysely, Selectable } from 'kysely'
import type { Role } from '../../../domain/hub/role.ts'
import type { HubRecords, HubToken, HubWrites } from '../../../ports/hub/hub-rows.ts'
import type { Tables } from '../tables.ts'

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
  async function remove(id: number): Promise<void> {
    await db.deleteFrom('hub_sessions').where('token', '=', id).execute()
    await db.deleteFrom('hub_tokens').where('id', '=', id).execute()
  }

  return {
    async insertHubToken({ name, role, hash, expiresAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('hub_tokens')
        .values({ name, role, hash, subject: null, created_at: now(), expires_at: expiresAt, last_used_at: null })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows === 1n
    },
    async deleteHubToken(name) {
      const row = await db.selectFrom('hub_tokens').select('id').where('name', '=', name).executeTakeFirst()
      if (row !== undefined) await remove(row.id)
      return row !== undefined
    },
    async putHubPerson({ name, role, subject, expiresAt }) {
      await db.deleteFrom('hub_tokens').where('subject', 'is not', null).where('expires_at', '<', now()).execute()
      const named = await db.selectFrom('hub_tokens').select('subject').where('name', '=', name).executeTakeFirst()
      if (named !== undefined && named.subject !== subject) return null
      const known = await db.selectFrom('hub_tokens').selectAll().where('subject', '=', subject).executeTakeFirst()
      if (known !== undefined) {
        const last = (known.expires_at ?? '') > expiresAt ? known.expires_at : expiresAt
        await db.updateTable('hub_tokens').set({ name, role, expires_at: last }).where('id', '=', known.id).execute()
        return known.id
      }
      const times = { created_at: now(), expires_at: expiresAt, last_used_at: null }
      // No token has this hash, since it is not a hash.
      const { id } = await db
        .insertInto('hub_tokens')
        .values({ name, role, subject, hash: `person ${subject}`, ...times })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },
    async deleteHubPerson(subject) {
      const row = await db.selectFrom('hub_tokens').select('id').where('subject', '=', subject).executeTakeFirst()
      if (row !== undefined) await remove(row.id)
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
    id: row.id,
    name: row.name,
    role: row.role as Role,
    hash: row.hash,
    subject: row.subject ?? null,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }
}
