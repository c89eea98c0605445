import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether a column has a text in it, in small letters or capital ones. */
export function hasText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // Both sides by the database: it alone knows which letters it makes small.
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '\\'`
}

/** The same in a column that holds JSON, in which quotes and line ends are written otherwise. */
export function hasJsonText(column: Expression<unknown>, text: string): RawBuilder<SqlBool> {
  return hasText(column, JSON.stringify(text).slice(1, -1))
}
