import { basename, dirname } from 'node:path'
import type { SandboxSpec } from '../../../ports/sandbox.ts'
import { scripts } from '../../../processes/installation.ts'
import type { ResolvedPlainMount } from '../mounts.ts'
import { toolbox } from '../toolbox.ts'
import { inside, servicesVariable } from './inside/protocol.ts'

interface SessionServices {
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly ResolvedPlainMount[]
}

/** What lets the commands of a session start its services for themselves. */
export function sessionServices({ services = [] }: Pick<SandboxSpec, 'services'>): SessionServices {
  if (services.length === 0) return { env: {}, mounts: [] }
  const starter = `${toolbox.node} ${inside}/program/${basename(scripts.services)} around`
  return {
    env: { WITH_SERVICES: starter, [servicesVariable]: JSON.stringify(services) },
    mounts: [{ source: dirname(scripts.services), at: `${inside}/program`, access: 'read' }],
  }
}
