import { sentence } from '../../domain/sentence.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { MadeLayers } from './dependency-layers.ts'

/**
 * The dependencies are unavailable for any change: the base commit fails the step, too, or a host
 * such as the registry is away.
 */
export function prepareFailed({ step, failure }: Extract<MadeLayers, { ok: false }>): InfraError {
  const log = failure.log === null ? '' : `\nIts log: ${failure.log}`
  const words = failure.words === '' ? '' : `\n${failure.words}`
  const { unreached = [] } = failure
  if (unreached.length > 0)
    return {
      errorType: 'prepare_failed',
      errorMessage: `prepare step "${step.name}" (${step.command}) had no connection to ${unreached.join(', ')}: ${failure.reason}. Once ${unreached.length === 1 ? 'the host' : 'these hosts'} can be reached, continue with: drydock resume${log}${words}`,
    }
  return {
    errorType: 'prepare_failed',
    errorMessage: sentence`prepare step "${step.name}" (${step.command}) fails on the base commit: ${failure.reason}. Fix the configuration or the base, commit the fix, and start again.${log}${words}`,
  }
}
