import { type ErrorCode, errorCatalogue } from '../domain/drydock-error.ts'

/** A `result` event's data, as far as people and exit codes need it. */
export interface Result {
  readonly status: string
  readonly kind: string
  readonly branch: string | null
  readonly base: string | null
  readonly stories: readonly StoryResult[]
  readonly tokens: number
  readonly applied?: readonly string[]
  readonly diff?: string
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly todo: string }
  readonly answer?: unknown
}

export interface StoryResult {
  readonly id: string
  readonly state: string
  readonly run_id: string | null
  readonly attempts: number
  readonly summary?: string
  readonly outside_plan?: readonly string[]
  readonly stuck_report?: string
  readonly error_type?: string
  readonly error_message?: string
}

/** The exit code that a result means (contracts: CLI). */
export function exitCodeOf(result: Result): number {
  if (result.error) return errorCatalogue[result.error.code].exit
  switch (result.status) {
    case 'DONE':
    case 'PASS':
      return 0
    case 'STUCK':
    case 'FAIL':
      return 3
    case 'INFRA_ERROR':
    case 'ERROR':
      return 4
    case 'CANCELLED':
      return 5
    default:
      return 1
  }
}
