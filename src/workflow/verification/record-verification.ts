import { limits } from '../../domain/limits.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import type { Verification } from '../../domain/verification/verification.ts'
import type { Transaction } from '../../ports/store.ts'

interface Recording {
  readonly verification: Verification
  readonly commitSha: string
  readonly response: VerifierResponse
  readonly finishedAt: string
}

/** Ends a verification: stores its machine and row, and appends its event. */
export async function recordVerification(
  tx: Transaction,
  { verification, commitSha, response, finishedAt }: Recording,
): Promise<void> {
  const { run, story } = verification
  await tx.move(verification, 'ended', { next: 'rest' })
  await tx.insertVerification({
    runId: response.run_id,
    run,
    story,
    commitSha,
    status: response.status,
    errorType: response.error_type ?? null,
    errorMessage: response.error_message ?? null,
    tailLog: response.tail_log,
    manifest: response.manifest,
    finishedAt,
  })
  const { flaky, pre_existing, also_on_base, tests, acceptance } = response.manifest ?? {}
  const data = {
    run_id: response.run_id,
    status: response.status,
    ...(tests && { tests: { ...tests } }),
    ...(flaky && { flaky: few(flaky) }),
    ...(pre_existing && { pre_existing: few(pre_existing) }),
    ...(also_on_base && { also_on_base }),
    ...(acceptance && { acceptance: acceptance.status }),
    ...(response.error_type && { error_type: response.error_type }),
  }
  await tx.appendEvent({ run, story, type: 'verification', data })
}

/** Shortened for readers of the events; the manifest has them all. */
function few(ids: readonly string[]): readonly string[] {
  return ids.slice(0, limits.eventPaths)
}
