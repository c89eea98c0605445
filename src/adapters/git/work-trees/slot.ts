import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeChanged } from '../../../files/write-whole.ts'
import type { Layout } from '../layout.ts'
import type { WorkTree } from './move-work-tree.ts'

export function slotWorkTree(layout: Layout, slot: string): WorkTree {
  const gitDir = layout.slotGit(slot)
  return { gitDir, workTree: layout.workspace(slot), stamp: join(gitDir, 'drydock-stamp') }
}

/**
 * Makes the slot's workspace, and its git directory beside the mirror with its own HEAD and index
 * and the mirror's objects and refs. The history for its agents lies beside it.
 */
export async function makeSlot(layout: Layout, slot: string): Promise<void> {
  const { gitDir, workTree } = slotWorkTree(layout, slot)
  await mkdir(workTree, { recursive: true })
  await mkdir(layout.history(slot), { recursive: true })
  await mkdir(gitDir, { recursive: true })
  await writeChanged(join(gitDir, 'commondir'), '../../mirror.git\n')
  await writeChanged(join(gitDir, 'HEAD'), 'ref: refs/drydock/unborn\n')
}
