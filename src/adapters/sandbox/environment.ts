import { basename, delimiter } from 'node:path'
import type { ResolvedMount } from './mounts.ts'
import { rootFolders } from './root-folders.ts'

export interface EnvironmentInput {
  readonly env: Readonly<Record<string, string>>
  readonly mounts: readonly ResolvedMount[]
  /** The host's PATH. */
  readonly hostPath: string
}

/** The environment inside: the spec's variables, which override defaults that work there. */
export function environmentInside({ env, mounts, hostPath }: EnvironmentInput): Record<string, string> {
  const defaults = { PATH: pathInside(hostPath, mounts), HOME: '/home/agent', LANG: 'C.UTF-8', TMPDIR: '/tmp' }
  return { ...defaults, ...toolchainVariables(mounts), ...env }
}

/** cargo as installed by rustup looks for its toolchains in the home folder. */
function toolchainVariables(mounts: readonly ResolvedMount[]): Readonly<Record<string, string>> {
  const rustup = mounts.find(({ at, access }) => access === 'read' && basename(at) === '.rustup')
  return rustup === undefined ? {} : { RUSTUP_HOME: rustup.at }
}

/** Entries of the host's PATH that exist inside and that are read-only there. */
function pathInside(hostPath: string, mounts: readonly ResolvedMount[]): string {
  const visible = [
    '/usr',
    ...rootFolders().map(({ path }) => path),
    ...mounts.filter(({ access }) => access === 'read').map(({ at }) => at),
  ]
  return [...new Set([...entriesUnder(hostPath, visible), '/usr/local/bin', '/usr/bin', '/bin'])].join(delimiter)
}

/** Entries of a PATH that lie in one of the folders. */
export function entriesUnder(path: string, folders: readonly string[]): readonly string[] {
  return path.split(delimiter).filter((entry) => folders.some((folder) => isUnder(entry, folder)))
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
