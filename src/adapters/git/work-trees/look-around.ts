import { chmod } from 'node:fs/promises'
import { limits } from '../../../domain/limits.ts'
import type { RawPath } from '../raw-path.ts'
import { eachFound, openDirectories } from './find.ts'
import type { WorkTree } from './move-work-tree.ts'

export interface Sight {
  /** Every `.git` below the top, of any kind. */
  readonly nested: readonly RawPath[]
  /**
   * Ignore and attribute files that git must not read: a pipe or a device has no end, and it reads
   * each whole.
   */
  readonly blocking: readonly RawPath[]
  /**
   * Regular files and links, those that git ignores included, and their sizes as they are read, in
   * bytes.
   */
  readonly files: number
  readonly bytes: number
  /** Those of them that no change may have, but for the blocking ones. */
  readonly large: readonly SizedFile[]
  /**
   * Of the listed ones there are more than anybody lists: nothing else that is said of them is all.
   */
  readonly tooMany: boolean
}

export interface SizedFile {
  readonly path: RawPath
  readonly size: number
}

/** Looks at the files of a work tree before git sees any of them. */
export async function lookAround({ workTree }: Pick<WorkTree, 'workTree'>, signal: AbortSignal): Promise<Sight> {
  await chmod(workTree, 0o777 & ~process.umask())
  const rules = ['(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')']
  const plain = ['(', '-type', 'f', '-o', '-type', 'l', '-o', '-type', 'd', ')']
  const listed: Record<string, SizedFile[]> = { n: [], b: [], r: [], l: [] }
  let [files, bytes, lists] = [0, 0, 0]
  const onFound = (record: string) => {
    const [, kind = '', size, path = ''] = /^(.)(\d*) (?:\.\/)?(.*)$/s.exec(record) ?? []
    if (kind === 's') {
      files += 1
      bytes += Number(size)
      return
    }
    lists += 1
    if (lists <= limits.change.files) listed[kind]?.push({ path, size: Number(size) })
  }
  const expression = [
    ...['-path', './.git', '-prune', '-o', ...openDirectories, '-o'],
    ...['-iname', '.git', '-prune', '-printf', 'n %p\\0', '-o'],
    ...[...rules, '!', ...plain, '-printf', 'b %p\\0', '-o', ...rules, '-type', 'f', '-printf', 'r%s %p\\0'],
    ...[',', '-type', 'l', '-printf', 's%s \\0', '-o'],
    ...['-type', 'f', '-printf', 's%s \\0', '-size', `+${limits.change.fileBytes}c`, '-printf', 'l%s %p\\0'],
  ]
  await eachFound(workTree, expression, { onFound, signal })
  const { n = [], b = [], r = [], l = [] } = listed
  const blocking = paths([...b, ...tooLarge(r)])
  return {
    nested: paths(n),
    blocking,
    files,
    bytes,
    large: l.filter(({ path }) => !blocking.includes(path)),
    tooMany: lists > limits.change.files,
  }
}

function paths(files: readonly SizedFile[]): readonly RawPath[] {
  return files.map(({ path }) => path)
}

function sumOf(files: readonly Pick<SizedFile, 'size'>[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** The larger half of the rules when all of them together are too much. */
function tooLarge(rules: readonly SizedFile[]): readonly SizedFile[] {
  if (sumOf(rules) <= limits.change.ruleBytes) return []
  const mean = sumOf(rules) / rules.length
  return rules.filter(({ size }) => size >= mean)
}
