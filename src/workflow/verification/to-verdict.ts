import type { Verdict, VerifierResponse } from '../../domain/verification/verdict.ts'
import { alsoOnBase, logWithEnd } from '../../domain/verification/why-failed.ts'

/** The response in the form that the story stores and its editor gets. */
export function toVerdict(response: VerifierResponse): Verdict {
  const { status, run_id: runId } = response
  const tailLog = logWithEnd(response)
  if (status === 'PASS') return { status, runId, tailLog: tailLog ?? '' }
  if (status === 'FAIL') return { status, runId, tailLog: tailLog ?? '', alsoOnBase: alsoOnBase(response) }
  return {
    status,
    runId,
    tailLog,
    errorType: response.error_type ?? 'unknown',
    errorMessage: response.error_message ?? '',
  }
}
