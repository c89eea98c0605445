import type { RunnerErrorCode } from '../../../ports/sandbox.ts'

/** An error reply to a read. */
export interface Refused {
  readonly ok: false
  readonly code: RunnerErrorCode
  readonly message: string
}

export function refused(code: RunnerErrorCode, message: string): Refused {
  return { ok: false, code, message }
}
