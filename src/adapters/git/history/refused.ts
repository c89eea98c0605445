import type { RunnerErrorCode } from '../../../ports/sandbox.ts'

/** A reading that is answered with an error. */
export interface Refused {
  readonly ok: false
  readonly code: RunnerErrorCode
  readonly message: string
}

export function refused(code: RunnerErrorCode, message: string): Refused {
  return { ok: false, code, message }
}
