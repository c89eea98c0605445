import { fewNames } from '../../domain/name-list.ts'

/**
 * The note for a sparse checkout whose user wants the result applied. It precedes the work, and so
 * cannot name the paths that will change.
 */
export function sparseNote(folders: readonly string[]): string {
  const only = folders.length === 0 ? 'the files at its top' : fewNames(folders).join(', ')
  return `Your sparse checkout is limited to ${only}. --apply also writes changed files outside of it. If the change deletes one outside, nothing is applied, and the result stays on its branch.`
}
