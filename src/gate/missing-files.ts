import type { Workspaces } from '../ports/workspace.ts'

/**
 * What a checkout lacks that a clone of the user's may have: looked for when a step has failed,
 * which may be why.
 */
export async function missingFiles(
  workspaces: Pick<Workspaces, 'submodules' | 'lfsPointers'>,
  commit: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const submodules = await workspaces.submodules(commit, signal)
  const pointers = await workspaces.lfsPointers(commit)
  return [
    ...submodules.flatMap(({ path, reason }) => (reason === undefined ? [] : [`The submodule ${path}: ${reason}`])),
    ...(pointers === 0 ? [] : [`Of Git LFS the steps see the pointers (${pointers} in this commit), not the files.`]),
  ]
}
