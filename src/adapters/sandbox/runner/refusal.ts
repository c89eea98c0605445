import type { RunnerErrorCode } from '../../../ports/sandbox.ts'

/** Thrown by a request that is answered with an error. */
export class Refusal extends Error {
  readonly code: RunnerErrorCode

  constructor(code: RunnerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The code and message of a failure for the caller. */
export function refusalOf(error: unknown): { readonly code: RunnerErrorCode; readonly message: string } {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error)) return { code: 'failed', message: String(error) }
  const code = 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'ERR_INVALID_ARG_VALUE':
      return { code: 'not_found', message: 'There is no such file' }
    case 'EISDIR':
    case 'ENXIO':
      return { code: 'not_a_file', message: 'This is not a regular file' }
    case 'EROFS':
      return { code: 'read_only', message: 'The workspace is read-only here' }
    case 'EEXIST':
      return { code: 'exists', message: 'There is something at that path already' }
    default:
      return { code: 'failed', message: error.message }
  }
}
