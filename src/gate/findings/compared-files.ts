import type { Judging } from '../../domain/gate/modules/uses.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { ChangedFile, History } from '../../ports/history.ts'
import type { TreeTests } from '../tests-of-tree.ts'

export type ComparingDeps = { readonly history: History }

/** A change and the commit that it is compared with. */
export interface ChangeComparison {
  readonly base: TreeTests
  readonly change: TreeTests
  readonly config: RunConfig
  readonly files: readonly ChangedFile[]
  /** Files that are tests, or support of tests, by their use on the base commit. */
  readonly testsByUse?: ReadonlyMap<string, Judging>
}

export interface OneFile extends ChangeComparison {
  readonly file: ChangedFile
}

interface Place {
  readonly sha: string
  readonly path: string
  /** More bytes than the gate compares. */
  readonly maxBytes?: number
}

/** The text of a file; null when the path is not a file, or the file is too large to compare. */
export async function textAt(
  { history }: ComparingDeps,
  { sha, path, maxBytes = limits.gate.fileBytes }: Place,
  signal: AbortSignal,
): Promise<string | null> {
  const read = await history.committed(sha).read(path, maxBytes, signal)
  return read.ok ? Buffer.from(read.value.base64, 'base64').toString('utf8') : null
}

export async function isTooLarge(
  { history }: ComparingDeps,
  { sha, path }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const read = await history.committed(sha).read(path, limits.gate.fileBytes, signal)
  return !read.ok && read.code === 'too_large'
}

export async function diffOf(
  { history }: ComparingDeps,
  { base, change, file: { path } }: Pick<OneFile, 'base' | 'change' | 'file'>,
): Promise<string> {
  const maxBytes = limits.gate.fileBytes
  return (await history.diff({ from: base.commit, to: change.commit, path, maxBytes })).text
}

/**
 * The old and new contents of changed files, as git's ids and modes. Equal values mean equal
 * content.
 */
export async function contentsOf(
  { history }: ComparingDeps,
  { base, change, files }: Pick<ChangeComparison, 'base' | 'change' | 'files'>,
): Promise<readonly string[]> {
  const said: string[] = []
  const { pathsAtOnce } = limits.gate
  for (let start = 0; start < files.length; start += pathsAtOnce) {
    const some = files.slice(start, start + pathsAtOnce)
    const [before, after] = await Promise.all([
      history.contents(
        base.commit,
        some.map(({ path, from = path }) => from),
      ),
      history.contents(
        change.commit,
        some.map(({ path }) => path),
      ),
    ])
    for (const { path, from = path } of some) said.push(from, before[from] ?? '', path, after[path] ?? '')
  }
  return said
}
