import { chmod } from 'node:fs/promises'
import { find, openDirectories } from './find.ts'
import type { WorkTree } from './move-work-tree.ts'

export interface Sight {
  /** Paths of every `.git` below the top, of any kind. */
  readonly nested: readonly string[]
  /** Paths of ignore and attribute files that are a pipe or a device, which would hold git up forever. */
  readonly blocking: readonly string[]
}

/** Looks at the files of a work tree before git sees any of them. Paths are relative, one byte a character. */
export async function lookAround({ workTree }: Pick<WorkTree, 'workTree'>, signal: AbortSignal): Promise<Sight> {
  await chmod(workTree, 0o777 & ~process.umask())
  const names = ['(', '-iname', '.git', '-prune', '-o', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')']
  const plain = ['-type', 'f', '-o', '-type', 'l', '-o', '-type', 'd']
  const dangers = ['-iname', '.git', '-o', '!', '(', ...plain, ')']
  const skipTop = ['-path', './.git', '-prune', '-o']
  const found = await find(
    workTree,
    [...skipTop, ...openDirectories, '-o', ...names, '(', ...dangers, ')', '-print0'],
    signal,
  )
  const relative = (paths: readonly string[]) => paths.map((path) => path.slice('./'.length))
  const isNested = (path: string) => /(^|\/)\.git$/i.test(path)
  return {
    nested: relative(found.filter(isNested)),
    blocking: relative(found.filter((path) => !isNested(path))),
  }
}
