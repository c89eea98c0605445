import { lackOf } from '../domain/verification/scarcity.ts'
import type { InfraError } from '../domain/verification/verdict.ts'

/**
 * Infrastructure failed in the middle of a step: ends the story with INFRA_ERROR (seed:
 * coding-agent-workflow, invariant 10).
 */
export class InfraFailure extends Error {
  readonly infra: InfraError

  constructor(infra: InfraError) {
    super(`${infra.errorType}: ${infra.errorMessage}`)
    this.name = 'InfraFailure'
    this.infra = infra
  }
}

/**
 * The infrastructure error behind a thrown error. A full disk, and a lack of memory or processes,
 * have kinds of their own, wherever they show.
 */
export function infraErrorOf(error: unknown, otherwise: InfraError['errorType']): InfraError {
  if (error instanceof InfraFailure) return error.infra
  const errorMessage = error instanceof Error ? error.message : String(error)
  const lack = lackOf(errorMessage)
  if (lack === null) return { errorType: otherwise, errorMessage }
  return { errorType: 'resource_exhaustion', errorMessage: `The machine has run out of ${lack}: ${errorMessage}` }
}
