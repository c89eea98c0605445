import { DrydockError } from '../domain/drydock-error.ts'
import type { RepositoryConfig, UserConfig } from './schema.ts'

/**
 * What the schema knows and this version cannot do yet. Refused rather than ignored: a gate that quietly leaves out what
 * it was told to do is no gate. An entry goes when its feature comes.
 */
export function refuseUnsupported(config: RepositoryConfig, file: string): void {
  if (config.verification.prepare.length > 0) throw notSupported(file, 'verification.prepare', 'leave it out')
  if (config.verification.writes !== 'deny') throw notSupported(file, 'verification.writes: "overlay"', 'use "deny"')
}

export function refuseUnsupportedSandbox(backend: UserConfig['sandbox']['backend'], file: string): 'bubblewrap' {
  if (backend !== 'bubblewrap') throw notSupported(file, `sandbox.backend: "${backend}"`, 'use "bubblewrap"')
  return backend
}

function notSupported(file: string, what: string, instead: string): DrydockError {
  return new DrydockError('bad_config', `${file}: ${what} is not supported yet`, {
    todo: `In this version, ${instead}.`,
  })
}
