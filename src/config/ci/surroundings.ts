import type { CiService } from '../../domain/ci/ci-event.ts'
import type { EnvironmentVariables } from '../environment.ts'

/** What `drydock ci` takes from the environment beside the event. */
export interface CiSurroundings {
  /** null where no known service runs it. */
  readonly service: CiService | null
  /** Files that the service reads after the step; null where it names none. */
  readonly summaryFile: string | null
  readonly outputFile: string | null
  /** Public keys (PEM), one after the other; empty when none is set. */
  readonly receiptKeys: string
  /** Ids of findings that are accepted. */
  readonly accepted: readonly string[]
}

/** The variables that people set for `drydock ci`. */
const ciVariables = { keys: 'DRYDOCK_RECEIPT_KEY', accept: 'DRYDOCK_ACCEPT' } as const

export function readSurroundings(env: EnvironmentVariables): CiSurroundings {
  const service = serviceOf(env)
  const isActions = service === 'github' || service === 'forgejo'
  return {
    service,
    summaryFile: (isActions && env.GITHUB_STEP_SUMMARY) || null,
    outputFile: (isActions && env.GITHUB_OUTPUT) || null,
    receiptKeys: env[ciVariables.keys]?.trim() ?? '',
    accepted: (env[ciVariables.accept] ?? '').split(/[\s,]+/).filter(Boolean),
  }
}

/** Forgejo and Gitea also say that they are GitHub. */
function serviceOf(env: EnvironmentVariables): CiService | null {
  if (env.FORGEJO_ACTIONS === 'true' || env.GITEA_ACTIONS === 'true') return 'forgejo'
  if (env.GITHUB_ACTIONS === 'true') return 'github'
  return env.GITLAB_CI === 'true' ? 'gitlab' : null
}
