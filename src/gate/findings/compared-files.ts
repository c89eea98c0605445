import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { Workspaces } from '../../ports/workspace.ts'
import type { TreeTests } from '../tests-of-tree.ts'

export type ComparingDeps = { readonly workspaces: Workspaces }

/** A change beside the commit that it is compared with. */
export interface Compared {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly config: RunConfig
  readonly files: readonly ChangedFile[]
}

export interface OneFile extends Compared {
  readonly file: ChangedFile
}

interface Place {
  readonly sha: string
  readonly path: string
}

/** Null for what is no file, or too large to be compared. */
export async function textAt(
  { workspaces }: ComparingDeps,
  { sha, path }: Place,
  signal: AbortSignal,
): Promise<string | null> {
  const read = await workspaces.committed(sha).read(path, limits.gate.fileBytes, signal)
  return read.ok ? Buffer.from(read.value.base64, 'base64').toString('utf8') : null
}

export async function isTooLarge(
  { workspaces }: ComparingDeps,
  { sha, path }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const read = await workspaces.committed(sha).read(path, limits.gate.fileBytes, signal)
  return !read.ok && read.code === 'too_large'
}

export async function diffOf(
  { workspaces }: ComparingDeps,
  { base, change, file: { path } }: Pick<OneFile, 'base' | 'change' | 'file'>,
): Promise<string> {
  const maxBytes = limits.gate.fileBytes
  return (await workspaces.diff({ from: base.commit, to: change.commit, path, maxBytes })).text
}

/** Paths in one question to git, whose command line has a bound. */
const pathsAtOnce = 200

/** What changed files were and are, by git's ids and modes: the same for the same content alone. */
export async function contentsOf(
  { workspaces }: ComparingDeps,
  { base, change, files }: Pick<Compared, 'base' | 'change' | 'files'>,
): Promise<readonly string[]> {
  const said: string[] = []
  for (let start = 0; start < files.length; start += pathsAtOnce) {
    const some = files.slice(start, start + pathsAtOnce)
    const [before, after] = await Promise.all([
      workspaces.contents(
        base.commit,
        some.map(({ path, from = path }) => from),
      ),
      workspaces.contents(
        change.commit,
        some.map(({ path }) => path),
      ),
    ])
    for (const { path, from = path } of some) said.push(from, before[from] ?? '', path, after[path] ?? '')
  }
  return said
}
