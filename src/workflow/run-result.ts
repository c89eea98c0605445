import type { JsonObject } from '../domain/json.ts'
import type { Run } from '../domain/run.ts'
import type { VerifierResponse } from '../domain/verdict.ts'
import type { Transaction } from '../ports/store.ts'
import { storyOf } from './machines.ts'

/** The last event of a Run that has come to rest: what `--json` prints last and exit codes are made from. */
export async function appendResult(tx: Transaction, run: Run): Promise<void> {
  const story = await storyOf(tx, run.id)
  const totals = await tx.totals(run.id)
  const { request, branch, base, applied, diff, error, answer } = run.data
  const published = run.state === 'DONE' && applied === null && diff === null ? branch : null
  const result: JsonObject = {
    status: verdictOf(run) ?? run.state,
    kind: request.kind,
    branch: published,
    base,
    stories: story ? [storyResult(story)] : [],
    cost_usd: null,
    tokens: totals.tokens,
    ...(applied && { applied }),
    ...(diff !== null && { diff }),
    ...(error && { error: { ...error } }),
    ...(answer !== null && { answer }),
  }
  await tx.appendEvent({ run: run.id, story: null, type: 'result', data: result })
}

/** A verification on its own is what its verdict is. */
function verdictOf({ data: { request, answer } }: Run): string | null {
  if (request.kind !== 'verify' || answer === null) return null
  return (answer as unknown as VerifierResponse).status
}

function storyResult(story: NonNullable<Awaited<ReturnType<typeof storyOf>>>): JsonObject {
  const { attempts, summary, stuckReport, stop } = story.data
  const infra =
    stop && 'infra' in stop ? { error_type: stop.infra.errorType, error_message: stop.infra.errorMessage } : {}
  return {
    id: story.story ?? '',
    state: story.state,
    run_id: attempts.at(-1)?.runId ?? null,
    sha: attempts.at(-1)?.sha ?? null,
    attempts: attempts.length,
    ...(summary && { summary: summary.text, outside_plan: summary.outsidePlan, findings: summary.findings }),
    ...(stuckReport !== null && { stuck_report: stuckReport }),
    ...infra,
  }
}
