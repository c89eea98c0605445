import { shellWord } from './shell-word.ts'

/** What takes a branch of a clone that Drydock keeps to where it was cloned from. */
export function pushLine(clone: string, branch: string): string {
  return `git -C ${shellWord(clone)} push origin ${shellWord(branch)}`
}
