import { notedCommit } from './noted-commit.ts'
import { notedCommits, notedTexts } from './noted-commits.ts'

/** Reads the notes of any repository of the user; nothing is written or fetched. */
export function createNoteReads(environment: NodeJS.ProcessEnv) {
  return {
    notedCommit: (directory: string, wanted: Parameters<typeof notedCommit>[1]) =>
      notedCommit(directory, wanted, environment),
    notedCommits: (directory: string, also: readonly string[]) => notedCommits(directory, also, environment),
    notedTexts: (directory: string, wanted: Parameters<typeof notedTexts>[1]) =>
      notedTexts(directory, wanted, environment),
  }
}
