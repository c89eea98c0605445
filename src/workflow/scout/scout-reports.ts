import type { Json, JsonObject } from '../../domain/json.ts'
import type { ScoutQuery } from '../../domain/scout/scout-query.ts'
import { type GivenReport, scoutReportVersion } from '../../domain/scout/scout-report.ts'
import type { Records } from '../../ports/store.ts'

/** The answers of a story's scouts so far, in order. */
export async function scoutReports(records: Records, run: string, story: string): Promise<readonly GivenReport[]> {
  const queries = await records.machines({ kind: 'scout_query', run, states: ['ANSWERED'] })
  const reports = await Promise.all(
    queries.filter((query) => query.story === story).map((query) => reportOf(records, query)),
  )
  return reports.flatMap((report) => report ?? [])
}

async function reportOf(records: Records, query: ScoutQuery): Promise<GivenReport | null> {
  const { scout, question } = query.data
  const given = await readReport(records, query)
  if (given === null) return null
  return { scout, question, payload: { schema_version: scoutReportVersion, ...(given as JsonObject) } }
}

/**
 * The report that ended the query's last lane: the input of its last call, which is the only call
 * of its turn.
 */
export async function readReport(records: Records, { run, data }: ScoutQuery): Promise<Json> {
  const messages = await records.messages(`${run}/scout/${data.scout}/${data.story}/${data.n}.${data.attempt}`)
  const last = messages.findLast((message) => message.role === 'assistant')
  return last?.calls.at(-1)?.input ?? null
}
