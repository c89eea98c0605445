import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { unlessMissing } from '../unless-missing.ts'

/** See WorkTrees.tidy. */
export async function tidyCheckouts(
  { layout, git, lock }: { layout: Layout; git: Git; lock: Lock },
  signal: AbortSignal,
): Promise<void> {
  for (const name of (await unlessMissing(readdir(join(layout.state, 'checkouts')))) ?? []) {
    const gitDir = join(layout.checkout(name), '.git')
    await lock(`checkout-${name}`, signal, async (spawned) => {
      if ((await unlessMissing(stat(gitDir))) === null) return
      await git(['update-ref', 'refs/drydock/commit', 'HEAD'], { gitDir, signal, spawned })
      await git(['gc', '--quiet', '--prune=now'], { gitDir, signal, spawned })
    })
  }
}
