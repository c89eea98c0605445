import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Whether a column has a text in it; A to Z are the same as a to z. Both databases keep columns in
 * which no other letters are made small.
 */
export function hasText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  const small = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const pattern = `%${small.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`lower(${column}) like ${pattern} escape '\\'`
}

/** The same in a column that holds JSON, in which quotes and line ends are written otherwise. */
export function hasJsonText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  return hasText(column, JSON.stringify(text).slice(1, -1))
}
