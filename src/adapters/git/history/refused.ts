import type { RunnerErrorCode } from '../../../ports/sandbox.ts'

/** An error reply to a read. */
export interface ReadRefusal {
  readonly ok: false
  readonly code: RunnerErrorCode
  readonly message: string
}

export function refused(code: RunnerErrorCode, message: string): ReadRefusal {
  return { ok: false, code, message }
}
