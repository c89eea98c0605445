import type { Kysely, Selectable } from 'kysely'
import type { Json } from '../../domain/json.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { Transaction } from '../../ports/store.ts'
import type { Tables } from './tables.ts'

export async function readForgeCalls(db: Kysely<Tables>, run: string): Promise<readonly ForgeCall[]> {
  return (await db.selectFrom('forge_calls').selectAll().where('run', '=', run).orderBy('id').execute()).map(callOf)
}

export async function readForgeCallsNamed(
  db: Kysely<Tables>,
  call: string,
  prefix: string,
): Promise<readonly ForgeCall[]> {
  const rows = await db.selectFrom('forge_calls').selectAll().where('call', '=', call).orderBy('id').execute()
  return rows.filter(({ key }) => key.startsWith(prefix)).map(callOf)
}

function callOf({ key, run, call, request, started_at, answer, finished_at }: Selectable<Tables['forge_calls']>) {
  return {
    key,
    run,
    call,
    startedAt: started_at,
    finishedAt: finished_at,
    request: JSON.parse(request) as Json,
    answer: answer === null ? null : (JSON.parse(answer) as Json),
  }
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
