import type { InfraError } from '../domain/verdict.ts'

/** Infrastructure failed in the middle of a step: ends the story with INFRA_ERROR (seed: coding-agent-workflow, invariant 10). */
export class InfraFailure extends Error {
  readonly infra: InfraError

  constructor(infra: InfraError) {
    super(`${infra.errorType}: ${infra.errorMessage}`)
    this.name = 'InfraFailure'
    this.infra = infra
  }
}
