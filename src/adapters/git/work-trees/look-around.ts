import { createHash } from 'node:crypto'
import { chmod, stat } from 'node:fs/promises'
import { limits } from '../../../domain/limits.ts'
import { isContextFile, isContextFolder } from '../../../domain/story/context-folder.ts'
import type { RawPath } from '../raw-path.ts'
import { eachFound, openDirectories } from './find.ts'
import type { WorkTree } from './move-work-tree.ts'

export interface Sight {
  /** Every `.git` below the top, whether file, folder or link. */
  readonly nested: readonly RawPath[]
  /**
   * Ignore and attribute files that git must not read: git reads each one whole, and a pipe or a
   * device has no end.
   */
  readonly blocking: readonly RawPath[]
  /**
   * The number of regular files and links, including ignored ones, and their total size when read,
   * in bytes.
   */
  readonly files: number
  readonly bytes: number
  /** The files that are too large for any change, except those in `blocking`. */
  readonly large: readonly SizedFile[]
  /** True if too many files were listed, so that all other results are incomplete. */
  readonly tooMany: boolean
  /**
   * The paths that changed after the stamp, without folders; null if there are too many, or if
   * there is no stamp.
   */
  readonly touched: readonly RawPath[] | null
  /**
   * A digest that changes with any file. It covers properties that programs cannot set back: paths,
   * inodes and change times, and for context files only their paths. Null if a file changed after
   * `seenAt`, since its next change may carry the same time.
   */
  readonly digest: string | null
}

interface Times {
  /** The file whose time marks the start of changes; null if there is none. */
  readonly stamp: string | null
  /** Milliseconds: a time before this scan and after all changes that it should see. */
  readonly seenAt: number
}

/** The most characters of all changed paths, which are in memory at the same time. */
const mostTouched = 4 * 1024 * 1024

export interface SizedFile {
  readonly path: RawPath
  readonly size: number
}

/** Scans the files of a work tree before git reads any of them. */
export async function lookAround(
  { workTree }: Pick<WorkTree, 'workTree'>,
  { stamp, seenAt }: Times,
  signal: AbortSignal,
): Promise<Sight> {
  const fresh = 0o777 & ~process.umask()
  // Setting equal permissions would also change the folder's time.
  if (((await stat(workTree)).mode & 0o7777) !== fresh) await chmod(workTree, fresh)
  const rules = ['(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')']
  const plain = ['(', '-type', 'f', '-o', '-type', 'l', '-o', '-type', 'd', ')']
  const listed: Record<string, SizedFile[]> = { n: [], b: [], r: [], l: [] }
  let [files, bytes, lists, touchedLength] = [0, 0, 0, 0]
  let touched: RawPath[] | null = stamp === null ? null : []
  const whole = createHash('sha1')
  let isSettled = true
  const onFound = (record: string) => {
    if (record.startsWith('a')) {
      const [, changedAt, path = ''] = /^a\d+ (\S+) \S+ \d+ \.\/(.*)$/s.exec(record) ?? []
      const isContext = isContextPath(path)
      whole.update(`${isContext ? path : record}\0`)
      if (!isContext && !(Number(changedAt) * 1_000 <= seenAt)) isSettled = false
      return
    }
    const [, kind = '', size, path = ''] = /^(.)(\d*) (?:\.\/)?(.*)$/s.exec(record) ?? []
    if (kind === 's') {
      files += 1
      bytes += Number(size)
      return
    }
    if (kind === 'c') {
      touchedLength += path.length
      if (touchedLength > mostTouched) touched = null
      touched?.push(path)
      return
    }
    lists += 1
    if (lists <= limits.change.files) listed[kind]?.push({ path, size: Number(size) })
  }
  const expression = [
    '-path',
    './.git',
    '-prune',
    '-o',
    ...openDirectories,
    '-o',
    '-iname',
    '.git',
    '-prune',
    '-printf',
    'n %p\\0',
    '-o',
    ...rules,
    '!',
    ...plain,
    '-printf',
    'b %p\\0',
    '-o',
    ...rules,
    '-type',
    'f',
    '-printf',
    'r%s %p\\0',
    ',',
    '-type',
    'l',
    '-printf',
    's%s \\0',
    '-o',
    '-type',
    'f',
    '-printf',
    's%s \\0',
    '-size',
    `+${limits.change.fileBytes}c`,
    '-printf',
    'l%s %p\\0',
    ...(stamp === null ? [] : [',', '!', '-type', 'd', '-cnewer', stamp, '-printf', 'c %p\\0']),
    ',',
    '!',
    '-path',
    './.git',
    '(',
    '!',
    '-type',
    'd',
    '-o',
    '-iname',
    '.git',
    ')',
    '-printf',
    'a%i %C@ %m %s %p\\0',
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
    touched,
    digest: isSettled ? whole.digest('hex') : null,
  }
}

function isContextPath(path: RawPath): boolean {
  const [folder = '', name = '', ...below] = path.split('/')
  return below.length === 0 && isContextFolder(folder) && isContextFile(name)
}

function paths(files: readonly SizedFile[]): readonly RawPath[] {
  return files.map(({ path }) => path)
}

function sumOf(files: readonly Pick<SizedFile, 'size'>[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** The larger half of the ignore and attribute files, if all of them together are too large. */
function tooLarge(rules: readonly SizedFile[]): readonly SizedFile[] {
  if (sumOf(rules) <= limits.change.ruleBytes) return []
  const mean = sumOf(rules) / rules.length
  return rules.filter(({ size }) => size >= mean)
}
