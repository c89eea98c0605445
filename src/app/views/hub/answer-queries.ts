import type { z } from 'zod'
import { type ReadRecords, recordArguments, type recordsSchema } from '../../../api/records.ts'
import type { RecordQuery } from '../../../domain/hub/record-queries.ts'
import { usage } from '../../usage.ts'
import type { ViewSources } from '../view-sources.ts'

/** A query whose arguments the schemas of the API have checked. */
type Query = (...args: readonly unknown[]) => Promise<unknown>

/** Answers queries of a client in order. Throws DrydockError `bad_usage`. */
export async function answerQueries(
  { records }: Pick<ViewSources, 'records'>,
  { queries }: ReadRecords,
): Promise<z.input<typeof recordsSchema>> {
  const asked = queries.map(({ query, args }) => ({ query, args: argumentsOf(query, args) }))
  const answers: unknown[] = []
  for (const { query, args } of asked) answers.push(toJson(await (records[query] as Query)(...args)))
  return { answers }
}

function argumentsOf(query: RecordQuery, given: readonly unknown[]): readonly unknown[] {
  const { success, data, error } = (recordArguments[query] as z.ZodType<readonly unknown[]>).safeParse(given)
  if (success) return data
  const problems = error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw usage(`The query ${query} is not asked like this: ${problems.join('; ')}`, 'See: /api/openapi.json')
}

/** Converts maps to arrays, since JSON has no maps. Dates need no conversion. */
function toJson(answer: unknown): unknown {
  return answer instanceof Map ? [...answer] : answer
}
