import type { Tables } from './tables.ts'

/** The tables of a state, each with the column that numbers its rows by itself, if one does. */
export const copiedTables: { readonly [Table in Exclude<keyof Tables, 'schema_versions'>]: string | null } = {
  machines: 'sequence',
  jobs: 'id',
  events: 'id',
  messages: null,
  model_calls: 'id',
  tool_executions: 'id',
  verifications: null,
  context_files: null,
  acceptance_tests: null,
  commands: 'id',
  chat_messages: 'id',
  forge_calls: 'id',
  hub_tokens: 'id',
  hub_sessions: null,
  reservations: 'id',
}

export type CopiedTable = keyof typeof copiedTables

export type Row = Readonly<Record<string, string | number | null>>

/** One end of a copy, in a transaction that keeps every other writer away. */
export interface CopySource {
  rows(table: CopiedTable): AsyncIterable<readonly Row[]>
  close(): Promise<void>
}

export interface CopyTarget {
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>
  /** Keeps what was inserted: all of it, or nothing. */
  commit(): Promise<void>
  /** Drops what was not committed. */
  close(): Promise<void>
}

/** Copies every row, and returns how many there were of each table. */
export async function copyTables(source: CopySource, target: CopyTarget): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of Object.keys(copiedTables) as CopiedTable[]) {
    counts[table] = 0
    for await (const rows of source.rows(table)) {
      await target.insert(table, rows)
      counts[table] += rows.length
    }
  }
  await target.commit()
  return counts
}
