import { join } from 'node:path'
import type { WorkTrees } from '../../../ports/work-trees.ts'
import { allDone } from '../all-done.ts'
import type { HostParts } from '../git-parts.ts'
import { fillIndex, makeAgentGitDir, moveIn } from './agent-git-dir.ts'
import { moveWorkTree } from './move-work-tree.ts'
import { removeTree } from './remove-tree.ts'
import { slotWorkTree } from './slot.ts'

type Parts = Pick<HostParts, 'layout' | 'git' | 'objects' | 'lock' | 'mirror'>

/** Implements WorkTrees.prepare. The agent's branch is named after its slot. */
export async function prepare(
  { layout, git, objects, lock, mirror }: Parts,
  { slot, tip, tree, onProgress }: Parameters<WorkTrees['prepare']>[0],
  signal: AbortSignal,
): Promise<void> {
  await lock(`slot-${slot}`, signal, async (spawned) => {
    const options = { signal, spawned }
    const place = slotWorkTree(layout, slot)
    const { workTree } = place
    const scratch = join(layout.scratch, slot)
    const history = layout.history(slot)
    const [gitDir] = await allDone([
      makeAgentGitDir(
        { git, layout, objects, lock, mirror },
        { tip, branch: slot, scratch, history, onProgress },
        options,
      ),
      moveWorkTree({ git, objects }, place, { treeish: tree ?? tip, options }),
    ])
    const isTip = tree === undefined
    await fillIndex(git, { gitDir, place, tip, isTip }, options)
    await moveIn(gitDir, workTree, join(layout.scratch, `${slot}.old`))
    await removeTree(scratch)
  })
}
