import type { RepositoryResult } from '../../domain/run/repository.ts'
import { shellWord } from './shell-word.ts'

/** The command line that pushes a branch from Drydock's own clone to its origin. */
export function pushLine(clone: string, branch: string): string {
  return `git -C ${shellWord(clone)} push origin ${shellWord(branch)}`
}

/**
 * The command line that takes over the result in one of several repositories; null if that
 * repository has no branch.
 */
export function takeLine({ path, url, branch }: Pick<RepositoryResult, 'path' | 'url' | 'branch'>): string | null {
  if (branch === null) return null
  return url === undefined ? `git -C ${shellWord(path)} merge ${shellWord(branch)}` : pushLine(path, branch)
}
