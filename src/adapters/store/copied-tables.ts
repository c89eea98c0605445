import type { Tables } from './tables.ts'

/** The tables of a state, each with its column of automatic numbers, if it has one. */
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

/** One side of a copy, in a transaction that excludes every other writer. */
export interface CopySource {
  rows(table: CopiedTable): AsyncIterable<readonly Row[]>
  close(): Promise<void>
}

export interface CopyTarget {
  insert(table: CopiedTable, rows: readonly Row[]): Promise<void>
  /** Commits all inserted rows atomically. */
  commit(): Promise<void>
  /** Rolls back uncommitted rows. */
  close(): Promise<void>
}

/** Copies every row, and returns the number of rows of each table. */
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
