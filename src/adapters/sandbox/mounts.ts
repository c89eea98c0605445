import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import type { Mount, SandboxResult } from '../../ports/sandbox.ts'

export type ResolvedMount = ResolvedPlainMount | ResolvedOverlay

export interface ResolvedPlainMount {
  /** The real path on the host. */
  readonly source: string
  readonly at: string
  readonly access: 'read' | 'write'
}

/** Real paths on the host. */
export interface ResolvedOverlay {
  readonly at: string
  readonly access: 'overlay'
  readonly isReadOnly: boolean
  readonly lower: readonly string[]
  readonly upper: string
}

/**
 * The mounts with real source paths, outer ones before those inside them; fails with
 * `container_creation` if one cannot be made.
 */
export async function resolveMounts(mounts: readonly Mount[]): Promise<SandboxResult<readonly ResolvedMount[]>> {
  const resolved: ResolvedMount[] = []
  for (const mount of mounts) {
    const at = mount.access === 'overlay' ? mount.at : (mount.at ?? mount.path)
    const sources = mount.access === 'overlay' ? [mount.upper, ...mount.lower] : [mount.path]
    if (![at, ...sources].every(isAbsolute)) return refused(`${sources.join(', ')} at ${at}: all must be absolute`)
    if (normalize(at) === '/') return refused(`${sources[0]} at ${at}: the root cannot be replaced`)
    try {
      resolved.push(await resolveMount(mount, withoutSlash(normalize(at))))
    } catch (error) {
      return refused(error instanceof Error ? error.message : sources.join(', '))
    }
  }
  return { ok: true, value: resolved.sort((a, b) => depth(a.at) - depth(b.at)) }
}

async function resolveMount(mount: Mount, at: string): Promise<ResolvedMount> {
  const { access } = mount
  if (access !== 'overlay') return { source: await realpath(mount.path), at, access }
  const upper = join(await realpath(dirname(mount.upper)), basename(mount.upper))
  const { isReadOnly = false } = mount
  return { at, access, isReadOnly, lower: await Promise.all(mount.lower.map((path) => realpath(path))), upper }
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
