import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Git, GitOptions } from '../git.ts'
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
  const file = join(gitDir, 'drydock-moved-to')
  return {
    read: () => unlessMissing(readFile(file, 'utf8')),
    forget: () => rm(file, { force: true }),
    remember: (treeish) => writeFile(file, treeish),
  }
}

/** Whether files of `from` may be kept as files of `to`; not when git cannot tell. */
export async function sameAttributes(
  git: Git,
  { from, to }: { readonly from: string; readonly to: string },
  options: Pick<GitOptions, 'gitDir' | 'signal' | 'spawned' | 'environment'>,
): Promise<boolean> {
  if (from === to) return true
  const environment = { ...options.environment, GIT_LITERAL_PATHSPECS: '0' }
  try {
    const args = ['diff-tree', '-r', '--quiet', from, to, '--', ':(top,glob)**/.gitattributes']
    return (await git(args, { ...options, environment, exits: [1] })).code === 0
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'git_failed') return false
    throw error
  }
}
