import { join } from 'node:path'
import type { HostParts } from '../git-parts.ts'
import { fillIndex, makeAgentGitDir, moveIn } from './agent-git-dir.ts'
import { moveWorkTree } from './move-work-tree.ts'
import { removeTree } from './remove-tree.ts'
import { slotWorkTree } from './slot.ts'

/** See WorkTrees.prepare. The agent's branch has the name of its slot. */
export async function prepare(
  { layout, git, lock, mirror }: HostParts,
  { slot, tip, tree }: { readonly slot: string; readonly tip: string; readonly tree?: string },
  signal: AbortSignal,
): Promise<void> {
  await lock(`slot-${slot}`, signal, async (spawned) => {
    const options = { signal, spawned }
    const place = slotWorkTree(layout, slot)
    const { workTree } = place
    const scratch = join(layout.scratch, slot)
    const [moved, made] = await Promise.allSettled([
      moveWorkTree(git, place, { treeish: tree ?? tip, options }),
      makeAgentGitDir({ git, layout, lock, mirror }, { tip, branch: slot, scratch }, options),
    ])
    if (moved.status === 'rejected') throw moved.reason
    if (made.status === 'rejected') throw made.reason
    const gitDir = made.value
    const isTip = tree === undefined
    await fillIndex(git, { gitDir, index: join(place.gitDir, 'index'), workTree, tip, isTip }, options)
    await moveIn(gitDir, workTree, join(layout.scratch, `${slot}.old`))
    await removeTree(scratch)
  })
}
