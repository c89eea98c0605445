import type { CiService } from '../../domain/ci/ci-event.ts'
import type { EnvironmentVariables } from '../environment.ts'

/** The settings of `drydock ci` from the environment, in addition to the event. */
export interface CiSurroundings {
  /** Null outside a known CI service. */
  readonly service: CiService | null
  /** A file that the service shows after the step; null if it names none. */
  readonly summaryFile: string | null
  readonly outputFile: string | null
  /** Concatenated public keys (PEM); empty if none is set. */
  readonly receiptKeys: string
  /** Ids of accepted findings. */
  readonly accepted: readonly string[]
}

/** The variables that users set for `drydock ci`. */
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

/** Forgejo and Gitea also set the variables of GitHub. */
function serviceOf(env: EnvironmentVariables): CiService | null {
  if (env.FORGEJO_ACTIONS === 'true' || env.GITEA_ACTIONS === 'true') return 'forgejo'
  if (env.GITHUB_ACTIONS === 'true') return 'github'
  return env.GITLAB_CI === 'true' ? 'gitlab' : null
}
