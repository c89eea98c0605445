import { fewNames } from '../../domain/name-list.ts'

/**
 * Said before work begins whose result is to be applied to a sparse checkout. The paths that it
 * will change are known only at its end.
 */
export function sparseNote(folders: readonly string[]): string {
  const only = folders.length === 0 ? 'the files at its top' : fewNames(folders).join(', ')
  return `Your sparse checkout is limited to ${only}. --apply also writes changed files outside of it. If the change deletes one outside, nothing is applied, and the result stays on its branch.`
}
