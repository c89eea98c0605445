import type { Session } from './session.ts'

type Ask = Session['ask']

/**
 * The number of the last transaction that each writer has committed, written by that transaction.
 * The id of a transaction would not do: a server that crashed may give it to another one. Nothing
 * of it is needed once the writer has ended, so it is no part of a copy.
 */
export const lastWritesTable = `create table if not exists last_writes (writer text collate "C" primary key,
  number bigint not null, at timestamptz not null default clock_timestamp())`

/** Removes the rows of writers that have ended. */
export async function dropOldMarks(ask: Ask): Promise<void> {
  await ask("delete from last_writes where at < clock_timestamp() - interval '1 day'")
}

export interface Begun {
  readonly may_write: boolean
  /** The number of the last transaction that this writer has committed. */
  readonly last: number | null
}

/** Right after the lock. The name of a writer is a UUID, which has no quotes. */
export function beginSql({ writer, fence }: { readonly writer: string; readonly fence: string | null }): string {
  const mayWrite = fence === null ? 'true' : `exists (${fence})`
  return `select ${mayWrite} as may_write, (select number from last_writes where writer = '${writer}') as last`
}

/** The start of a statement that also notes the number of its transaction. */
export function markSql({ writer, number }: { readonly writer: string; readonly number: string }): string {
  return `with marked as (insert into last_writes (writer, number) values (${writer}::text, ${number}::bigint)
    on conflict (writer) do update set number = excluded.number, at = excluded.at)`
}
