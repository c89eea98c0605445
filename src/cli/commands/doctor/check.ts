import { DrydockError, errorCatalogue } from '../../../domain/drydock-error.ts'

/** The result of one check of `drydock doctor`. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  /** The command line or sentence that fixes it. */
  readonly fix?: string
  /** One sentence on the feature that does not work. */
  readonly consequence?: string
  readonly exit: number
  /** Facts about a foreign agent. */
  readonly agent?: {
    readonly name: string
    readonly version: string | null
    readonly program: string | null
    readonly provider: string | null
    readonly model: string | null
    /** Null if the agent was not started. */
    readonly loads_sessions: boolean | null
  }
}

export function failed(name: string, error: unknown, consequence?: string): Check {
  if (!(error instanceof DrydockError)) throw error
  const { exit } = errorCatalogue[error.code]
  return { name, ok: false, found: error.message, fix: error.todo, exit, ...(consequence && { consequence }) }
}
