import type { Session } from './session.ts'

type Ask = Session['ask']

/**
 * The number of each writer's last committed transaction, written by that transaction. A
 * transaction id would not work, since a server may reuse it after a crash. The table is only
 * needed while the writer lives, so it is not part of a copy.
 */
export const lastWritesTable = `create table if not exists last_writes (writer text collate "C" primary key,
  number bigint not null, at timestamptz not null default clock_timestamp())`

/** Removes the rows of writers that have ended. */
export async function dropOldMarks(ask: Ask): Promise<void> {
  await ask("delete from last_writes where at < clock_timestamp() - interval '1 day'")
}

export interface SessionState {
  readonly may_write: boolean
  /** The number of this writer's last committed transaction. */
  readonly last: number | null
}

/** Runs right after the lock is taken. A writer's name is a UUID, which contains no quotes. */
export function beginSql({ writer, fence }: { readonly writer: string; readonly fence: string | null }): string {
  const mayWrite = fence === null ? 'true' : `exists (${fence})`
  return `select ${mayWrite} as may_write, (select number from last_writes where writer = '${writer}') as last`
}

/** The start of a statement that also stores the number of its transaction. */
export function markSql({ writer, number }: { readonly writer: string; readonly number: string }): string {
  return `with marked as (insert into last_writes (writer, number) values (${writer}::text, ${number}::bigint)
    on conflict (writer) do update set number = excluded.number, at = excluded.at)`
}
