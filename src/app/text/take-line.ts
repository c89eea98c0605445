import type { RepositoryResult } from '../../domain/run/repository.ts'
import { shellWord } from './shell-word.ts'

/** What takes a branch of a clone that Drydock keeps to where it was cloned from. */
export function pushLine(clone: string, branch: string): string {
  return `git -C ${shellWord(clone)} push origin ${shellWord(branch)}`
}

/** What takes the result in one of several repositories over; null where there is no branch. */
export function takeLine({ path, url, branch }: Pick<RepositoryResult, 'path' | 'url' | 'branch'>): string | null {
  if (branch === null) return null
  return url === undefined ? `git -C ${shellWord(path)} merge ${shellWord(branch)}` : pushLine(path, branch)
}
