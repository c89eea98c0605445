import { lstat } from 'node:fs/promises'
import { limits } from '../../../domain/limits.ts'
import type { GitOptions, GitOutput } from '../git.ts'
import { type RawPath, rawPaths, shownPath, terminated, userPath } from '../raw-path.ts'
import { unlessMissing } from '../unless-missing.ts'
import type { Sight, SizedFile } from './look-around.ts'

/** The reason why a change exceeds its limits, and a way to reduce it. */
export interface TooLarge {
  /** The reason, in words for people and models. */
  readonly reason: string
  /**
   * The files to leave out so that the rest is within the limits; null if all files would have to
   * go, which is more than can be listed.
   */
  readonly paths: readonly RawPath[] | null
}

interface ChangeSizeInput {
  readonly workTree: string
  readonly sight: Pick<Sight, 'files' | 'bytes' | 'large'>
  /** The commit that the change is based on. */
  readonly parent: string
  /** Runs git with an index of the parent. */
  readonly run: (
    args: readonly string[],
    options?: Pick<GitOptions, 'input' | 'maxBytes' | 'truncate'>,
  ) => Promise<GitOutput>
  readonly ignored: (paths: readonly RawPath[]) => Promise<readonly RawPath[]>
}

/**
 * Compares the files of a change with `limits.change`; null if they are within. Files that are each
 * too large are reported alone, without checking the others. No content is read: a sparse file
 * costs an agent nothing, but reading it would cost its whole size.
 */
export async function changeSize(asked: ChangeSizeInput): Promise<TooLarge | null> {
  const { sight, workTree, run } = asked
  const { bytes, fileBytes, files } = limits.change
  // A work tree within the limits cannot have a change beyond them.
  if (sight.bytes <= fileBytes && sight.files <= files) return null
  const large = await newlyLarge(asked)
  // Large files are checked first, since listing modified files may make git read each of them
  // whole.
  if (large.length > 0) return tooLarge(large, large)
  const list = ['ls-files', '-z', '--others', '--modified', '--exclude-standard']
  const listed = await run(list, { maxBytes: limits.change.listBytes, truncate: true })
  if (listed.truncated) return { reason: tooManyFiles, paths: null }
  const changed: SizedFile[] = []
  for (const path of new Set(rawPaths(listed.stdout))) {
    const stats = await unlessMissing(lstat(userPath(workTree, path)))
    if (stats?.isFile() || stats?.isSymbolicLink()) changed.push({ path, size: stats.size })
  }
  const bySize = changed.toSorted((a, b) => a.size - b.size)
  let sum = 0
  const kept = bySize.findIndex(({ size }, i) => {
    sum += size
    return sum > bytes || i >= files
  })
  return kept < 0 ? null : tooLarge(bySize, bySize.slice(kept))
}

export const tooManyFiles = 'The workspace has too many files to look at each of them: remove what commands have made.'

/**
 * Files that are each too large. A file of the parent may grow by the size allowed for a new one.
 */
async function newlyLarge({ sight: { large }, parent, run, ignored }: ChangeSizeInput): Promise<readonly SizedFile[]> {
  if (large.length === 0) return []
  const left = new Set(await ignored(large.map(({ path }) => path)))
  const wanted = large.filter(({ path }) => !left.has(path))
  const input = Buffer.from(terminated(wanted.map(({ path }) => `${parent}:${path}`)), 'latin1')
  const { stdout } = await run(['cat-file', '-z', '--batch-check=%(objectsize)'], { input })
  const before = stdout.toString('latin1').split('\n')
  // For a file that the parent lacks, git prints words instead of a size.
  return wanted.filter(({ size }, i) => size > (Number(before[i]) || 0) + limits.change.fileBytes)
}

function tooLarge(changed: readonly SizedFile[], out: readonly SizedFile[]): TooLarge {
  const { bytes, fileBytes, files } = limits.change
  const largest = changed.toSorted((a, b) => b.size - a.size).slice(0, 3)
  const named = largest.map(({ path, size }) => `${JSON.stringify(shownPath(path))} ${mebibytes(size)}`).join(', ')
  const total = mebibytes(changed.reduce((sum, { size }) => sum + size, 0))
  const most = `at most ${mebibytes(bytes)} in ${files} files, ${mebibytes(fileBytes)} each`
  const reason = `The change is too large to keep: ${total} in ${changed.length} ${changed.length === 1 ? 'file' : 'files'} (${named}). A change has ${most}. Remove these files, or name them in .gitignore.`
  return { reason, paths: out.map(({ path }) => path) }
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576)} MiB`
}
