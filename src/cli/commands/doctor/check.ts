import { DrydockError, errorCatalogue } from '../../../domain/drydock-error.ts'

/** One thing that `drydock doctor` looked at. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  /** The exact line, or the sentence, that fixes it. */
  readonly fix?: string
  /** What does not work without it, in one sentence. */
  readonly consequence?: string
  readonly exit: number
  /** What is known of an agent of another maker. */
  readonly agent?: {
    readonly name: string
    readonly version: string | null
    readonly program: string | null
    readonly provider: string | null
    readonly model: string | null
    /** Null when it was not started. */
    readonly loads_sessions: boolean | null
  }
}

export function failed(name: string, error: unknown, consequence?: string): Check {
  if (!(error instanceof DrydockError)) throw error
  const { exit } = errorCatalogue[error.code]
  return { name, ok: false, found: error.message, fix: error.todo, exit, ...(consequence && { consequence }) }
}
