import type { Kysely } from 'kysely'
import type { Json } from '../../domain/json.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Tables } from './tables.ts'

export async function readForgeCalls(db: Kysely<Tables>, run: string): Promise<readonly ForgeCall[]> {
  const rows = await db.selectFrom('forge_calls').selectAll().where('run', '=', run).orderBy('id').execute()
  return rows.map(({ key, call, request, started_at, answer, finished_at }) => ({
    ...{ key, run, call, startedAt: started_at, finishedAt: finished_at },
    request: JSON.parse(request) as Json,
    answer: answer === null ? null : (JSON.parse(answer) as Json),
  }))
}

export function writeForgeCalls(
  db: Kysely<Tables>,
  now: () => string,
): Pick<Transaction, 'startForgeCall' | 'finishForgeCall'> {
  return {
    async startForgeCall({ key, run, call, request }) {
      await db
        .insertInto('forge_calls')
        .values({
          key,
          run,
          call,
          request: JSON.stringify(request),
          started_at: now(),
          answer: null,
          finished_at: null,
        })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute()
    },
    async finishForgeCall(key, answer) {
      const done = { answer: JSON.stringify(answer), finished_at: now() }
      await db.updateTable('forge_calls').set(done).where('key', '=', key).execute()
    },
  }
}
