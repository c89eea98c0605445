import type { History } from '../ports/history.ts'
import type { WorkTrees } from '../ports/work-trees.ts'

/**
 * Files that a checkout lacks although a clone of the user may have them. Called after a failed
 * step, since their absence may be the cause.
 */
export async function missingFiles(
  { history, workTrees }: { readonly history: History; readonly workTrees: WorkTrees },
  commit: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const submodules = await workTrees.submodules(commit, signal)
  const pointers = await history.lfsPointers(commit)
  return [
    ...submodules.flatMap(({ path, reason }) => (reason === undefined ? [] : [`The submodule ${path}: ${reason}`])),
    ...(pointers === 0 ? [] : [`The steps see the pointers of Git LFS (${pointers} in this commit), not the files.`]),
  ]
}
