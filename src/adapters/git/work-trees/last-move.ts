import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { treeChanges } from '../history/tree-changes.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { unlessMissing } from '../unless-missing.ts'

/**
 * What a work tree was last moved to, for as long as that move is whole: forgotten before the next
 * begins. Git rewrites only files whose content differs, but what it writes also depends on the
 * attributes of the commit: after a move between commits whose attributes differ, no file can be
 * kept.
 */
export interface LastMove {
  read(): Promise<string | null>
  forget(): Promise<void>
  remember(treeish: string): Promise<void>
}

export function lastMove(gitDir: string): LastMove {
  return noted(join(gitDir, 'drydock-moved-to'))
}

/** The commit or tree that the index holds; forgotten before the index changes. */
export function inIndex(gitDir: string): LastMove {
  return noted(join(gitDir, 'drydock-parent'))
}

/** The parent, the tree and the digest of the last snapshot, in a line. */
export function lastSnapshot(gitDir: string): Omit<LastMove, 'forget'> {
  return noted(join(gitDir, 'drydock-snapshot'))
}

function noted(file: string): LastMove {
  return {
    read: () => unlessMissing(readFile(file, 'utf8')),
    forget: () => rm(file, { force: true }),
    remember: (treeish) => writeFile(file, treeish),
  }
}

/** Whether files of `from` may be kept as files of `to`; not when git cannot tell. */
export async function sameAttributes(
  objects: ReadObject,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  if (from === to) return true
  try {
    const changes = await treeChanges(objects, { from, to })
    return changes.every(({ path }) => posix.basename(path) !== '.gitattributes')
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'git_failed') return false
    throw error
  }
}
