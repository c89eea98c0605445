import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Toolchain {
  readonly isThere: boolean
  /** A command prefix that puts its folder first on the PATH. */
  readonly path: string
  /** Paths that a sandbox must show for it. */
  readonly readOnlyPaths: readonly string[]
}

/**
 * A program of the system, or otherwise one that a version manager stores in the home, below
 * `versions`.
 */
export function toolchain(program: string, versions?: string): Toolchain {
  const folder = ['/usr/bin', '/usr/local/bin'].find((each) => existsSync(join(each, program)))
  if (folder !== undefined) return { isThere: true, path: `PATH=${folder}:$PATH`, readOnlyPaths: [] }
  const own = versions === undefined ? [] : binsBelow(join(homedir(), versions))
  const bin = own.find((each) => existsSync(join(each, program)))
  if (bin === undefined) return { isThere: false, path: '', readOnlyPaths: [] }
  return { isThere: true, path: `PATH=${bin}:$PATH`, readOnlyPaths: [dirname(bin)] }
}

function binsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  // Stable versions come before nightly ones.
  return readdirSync(folder)
    .toSorted((a, b) => Number(a.startsWith('nightly')) - Number(b.startsWith('nightly')))
    .map((version) => join(folder, version, 'bin'))
}
