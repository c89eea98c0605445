import { sentence } from '../../domain/sentence.ts'
import type { InfraError } from '../../domain/verification/verdict.ts'
import type { MadeLayers } from './dependency-layers.ts'

/** The base commit itself does not get its dependencies: no change could do anything about it. */
export function prepareFailed({ step, failure }: Extract<MadeLayers, { ok: false }>): InfraError {
  const log = failure.log === null ? '' : `\nIts log: ${failure.log}`
  const words = failure.words === '' ? '' : `\n${failure.words}`
  return {
    errorType: 'prepare_failed',
    errorMessage: sentence`prepare step "${step.name}" (${step.command}) fails on the base commit: ${failure.reason}. Fix the configuration or the base, commit the fix, and start again.${log}${words}`,
  }
}
