import type { SandboxSpec } from '../../../ports/sandbox.ts'
import { servicesVariable } from './inside/starter-protocol.ts'
import { starter, starterMounts } from './starter-program.ts'

/** The spec with the files that commands inside need to start services themselves. */
export function withStartableServices(spec: SandboxSpec): SandboxSpec {
  const { services = [], mounts, env } = spec
  if (services.length === 0) return spec
  const more = { WITH_SERVICES: starter('around').join(' '), [servicesVariable]: JSON.stringify(services) }
  return { ...spec, mounts: [...mounts, ...starterMounts()], env: { ...env, ...more } }
}
