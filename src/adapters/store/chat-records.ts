import type { Kysely, Selectable } from 'kysely'
import type { Asker, ChatMessage, PostType } from '../../domain/chat.ts'
import type { Records } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { Tables } from './tables.ts'

/** The query of each lane before each of its turns. */
const postedAfter = prepared<{ run: string; after: number }>()((db, { run, after }) =>
  db.selectFrom('chat_messages').selectAll().where('run', '=', run).where('id', '>', after).orderBy('id'),
)

/** Reads the chat of Runs. */
export function createChatRecords(db: Kysely<Tables>): Pick<Records, 'chat' | 'chatMessage'> {
  return {
    async chat({ run, story, after, postType, limit }) {
      if (after !== undefined && story === undefined && postType === undefined && limit === undefined) {
        return (await postedAfter(db, { run, after: startingPoint(after) })).rows.map(toChatMessage)
      }
      let query = db.selectFrom('chat_messages').selectAll().where('run', '=', run).orderBy('id')
      if (story !== undefined) query = query.where('story', story === null ? 'is' : '=', story)
      if (after !== undefined) query = query.where('id', '>', startingPoint(after))
      if (postType !== undefined) query = query.where('post_type', '=', postType)
      if (limit !== undefined) query = query.limit(limit)
      return (await query.execute()).map(toChatMessage)
    },
    async chatMessage(id) {
      const number = numberOf(id)
      if (number === null) return null
      const row = await db.selectFrom('chat_messages').selectAll().where('id', '=', number).executeTakeFirst()
      return row ? toChatMessage(row) : null
    },
  }
}

function startingPoint(id: string): number {
  const number = numberOf(id)
  if (number === null) throw new Error(`${JSON.stringify(id)} is no id of a message`)
  return number
}

/** Null for a text that cannot be a message's id; every id has exactly one spelling. */
function numberOf(id: string): number | null {
  return /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : null
}

function toChatMessage(row: Selectable<Tables['chat_messages']>): ChatMessage {
  // A state of an older Drydock lacks the last columns until it is migrated.
  const { author, asker_kind, asker, ...message } = row
  return {
    ...message,
    ...(author != null && { author }),
    ...(asker != null && { asker: { kind: asker_kind as Asker['kind'], machine: asker } }),
    id: String(row.id),
    reply_to: row.reply_to === null ? null : String(row.reply_to),
    post_type: row.post_type as PostType,
  }
}
