import { realpath } from 'node:fs/promises'
import { isAbsolute, normalize } from 'node:path'
import type { Mount, SandboxResult } from '../../ports/sandbox.ts'

export interface ResolvedMount {
  /** Real path on the host. */
  readonly source: string
  readonly at: string
  readonly access: 'read' | 'write'
}

/** Mounts with real sources, outer ones before those inside them; `container_creation` for one that cannot be made. */
export async function resolveMounts(mounts: readonly Mount[]): Promise<SandboxResult<readonly ResolvedMount[]>> {
  const resolved: ResolvedMount[] = []
  for (const { path, at = path, access } of mounts) {
    if (!isAbsolute(path) || !isAbsolute(at)) return refused(`${path} at ${at}: both must be absolute`)
    if (normalize(at) === '/') return refused(`${path} at ${at}: the root cannot be replaced`)
    try {
      resolved.push({ source: await realpath(path), at: withoutSlash(normalize(at)), access })
    } catch (error) {
      return refused(error instanceof Error ? error.message : `${path}`)
    }
  }
  return { ok: true, value: resolved.sort((a, b) => depth(a.at) - depth(b.at)) }
}

function refused(reason: string): SandboxResult<never> {
  return { ok: false, error: { errorType: 'container_creation', errorMessage: `A mount cannot be made: ${reason}` } }
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '')
}

function depth(path: string): number {
  return path.split('/').length
}
