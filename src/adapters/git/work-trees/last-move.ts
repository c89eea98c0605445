import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { treeChanges } from '../history/tree-changes.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { unlessMissing } from '../unless-missing.ts'

/**
 * The commit or tree that a work tree was last moved to, valid while that move is complete; it is
 * deleted before the next move begins. Git rewrites only files whose content differs, but the
 * written bytes also depend on the commit's attributes: between commits with different attributes,
 * no file can be kept.
 */
export interface LastMove {
  read(): Promise<string | null>
  forget(): Promise<void>
  remember(treeish: string): Promise<void>
}

export function lastMove(gitDir: string): LastMove {
  return noted(join(gitDir, 'drydock-moved-to'))
}

/** The commit or tree that the index holds; deleted before the index changes. */
export function inIndex(gitDir: string): LastMove {
  return noted(join(gitDir, 'drydock-parent'))
}

/** The parent, the tree and the digest of the last snapshot, on one line. */
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

/** True if files of `from` can be kept as files of `to`; false if git cannot tell. */
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
