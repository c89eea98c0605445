import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitOptions } from '../git.ts'
import type { HostParts } from '../git-parts.ts'
import { keepPacksOf } from '../history/link-objects.ts'
import { readCommit } from '../objects/commits.ts'
import { writeRef } from '../objects/write-ref.ts'
import { unlessMissing } from '../unless-missing.ts'
import { cloneBefore, pristineClone } from './pristine-clone.ts'

/** The newest commit of the linked history; the ref makes git keep it. */
export const sharedRef = 'refs/drydock/shared'

/**
 * Gives a new git directory the history of a clone through hard links to its packs, which no
 * sandbox writes to. Does nothing where hard links are impossible, and for a shallow history, which
 * only a fetch handles.
 */
export async function shareHistory(
  { git, layout, objects, lock, mirror }: Pick<HostParts, 'git' | 'layout' | 'objects' | 'lock' | 'mirror'>,
  { gitDir, sha }: { readonly gitDir: string; readonly sha: string },
  options: Pick<GitOptions, 'signal' | 'spawned'>,
): Promise<void> {
  if ((await unlessMissing(stat(join(layout.mirror, 'shallow')))) !== null) return
  await lock('clones', options.signal, async (spawned) => {
    const before = async () => (await readCommit(objects, sha))?.parents[0] ?? sha
    const make = async (tip: string) => ({
      clone: await pristineClone({ git, layout, objects, mirror }, tip, { ...options, spawned }),
      tip,
    })
    // The parent's clone is used, since many candidate commits share one parent.
    const { clone, tip } = (await cloneBefore({ git, layout, objects }, { sha })) ?? (await make(await before()))
    if (!(await keepPacksOf(clone, gitDir))) return
    await writeRef(gitDir, sharedRef, tip)
  })
}
