import { stripVTControlCharacters } from 'node:util'
import type { Log, Verification, VerificationList } from '../../api/verifications.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { assuranceLines, costLine } from '../../domain/verification/assurance-text.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { VerificationRow } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import { durationOf } from './story.ts'
import { findRun, type ViewSources } from './view-sources.ts'

export async function readVerifications(sources: ViewSources, runId: string): Promise<VerificationList> {
  const { records } = sources
  const run = await findRun(sources, runId)
  const merges = await mergeRuns(records, run.id)
  const rows = (await records.verifications(run.id)).toReversed()
  return {
    verifications: rows.map((row) => ({
      ...headOf(row, merges),
      duration_ms: durationOf(row),
      failed_step: failedStep(row),
    })),
  }
}

export async function readVerification(sources: ViewSources, runId: string): Promise<Verification> {
  const { records } = sources
  const row = await findVerification(sources, runId)
  const manifest = row.manifest as Verification['manifest']
  const cost = row.manifest ? costLine(row.manifest) : null
  const lines = [...assuranceLines(row.manifest ?? {}), ...(cost ? [cost] : [])]
  const assurance = lines.map(({ more, ...line }) => ({ ...line, more: [...more] }))
  return { ...headOf(row, await mergeRuns(records, row.run)), assurance, tail: row.tailLog, manifest }
}

/**
 * The end of the log of one step, or of all steps. If the log file is gone, returns its stored end.
 */
export async function readVerificationLog(sources: ViewSources, runId: string, step: string | undefined): Promise<Log> {
  const row = await findVerification(sources, runId)
  const name = `${step ?? 'combined'}.log`
  const log = /^[\w.-]+$/.test(name)
    ? await sources.artifacts.readLog(row.runId, name, limits.dashboard.logBytes)
    : ({ ok: false } as const)
  if (log.ok) return { text: stripVTControlCharacters(log.text), from: 'log', skipped: log.skipped }
  if (step === undefined && row.tailLog !== null) return { text: row.tailLog, from: 'tail', skipped: null }
  throw new DrydockError('not_found', `${runId} has no log ${name}.`, {
    todo: 'Logs are kept for at most 14 days. Without a step you get the whole log.',
  })
}

/**
 * The step that failed a verification; null if it passed. An exit code is not enough: a green
 * verification may permit a failing step, and a step with exit code 0 may have reported failing
 * tests.
 */
function failedStep({ status, manifest }: VerificationRow): string | null {
  if (status === 'PASS') return null
  const failed = manifest?.commands_executed.find((each) => each.exit_code !== 0)
  return failed?.name ?? (status === 'FAIL' ? manifest?.commands_executed.at(-1)?.name : null) ?? null
}

/** The verification of exactly this id. Throws DrydockError `not_found`. */
export async function findVerification(
  { records }: Pick<ViewSources, 'records'>,
  runId: string,
): Promise<VerificationRow> {
  const row = await records.verification(runId)
  if (row !== null) return row
  throw new DrydockError('not_found', `There is no ended verification ${runId}.`, {
    todo: 'Look at the verifications of the run.',
  })
}

/** Ids of verifications that verified the result of a merge. */
async function mergeRuns(records: Records, run: string): Promise<ReadonlySet<string>> {
  const verifications = await records.machines({ kind: 'verification', run })
  return new Set(verifications.flatMap(({ data }) => (data.merge === null ? [] : [data.runId])))
}

function headOf(row: VerificationRow, merges: ReadonlySet<string>) {
  const remark = row.status === 'PASS' ? testsRemark(row.manifest?.tests) : null
  const { runId, run, story, commitSha, status, errorType, errorMessage, finishedAt } = row
  const of: Verification['of'] = merges.has(runId) ? 'merge' : story === null ? 'request' : 'change'
  return {
    run_id: runId,
    run,
    story,
    of,
    sha: commitSha,
    status,
    tests_remark: remark,
    finished_at: finishedAt,
    error_type: errorType,
    error_message: errorMessage,
  }
}
