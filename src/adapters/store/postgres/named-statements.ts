import type { QueryConfig } from 'pg'
import { limits } from '../../../domain/limits.ts'

const names = new Map<string, string>()

/**
 * A statement with values gets a name, so that each connection parses and plans it once: that takes
 * the server longer than most statements do. The number of names has a limit, because some texts
 * hold lists of changing lengths and a connection keeps the plan of each name.
 */
export function named(text: string, values: readonly unknown[]): QueryConfig {
  if (values.length === 0) return { text }
  if (!names.has(text) && names.size < limits.database.namedStatements) names.set(text, `drydock_${names.size}`)
  const name = names.get(text)
  return { text, values: [...values], ...(name !== undefined && { name }) }
}
