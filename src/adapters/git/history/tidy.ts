import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeRefLocks } from './mirror.ts'

/**
 * See Workspaces.tidy. What a hidden ref keeps stays; of the checkouts only the commit that is
 * checked out.
 */
export async function tidy(
  { layout, git, lock }: { layout: Layout; git: Git; lock: Lock },
  signal: AbortSignal,
): Promise<void> {
  // A git that was killed with its owner has left them; each names a ref that is written only once.
  await lock('refs', signal, () => removeRefLocks(layout.mirror, ['drydock']))
  await lock('mirror', signal, (spawned) => git(['gc', '--quiet'], { gitDir: layout.mirror, signal, spawned }))
  for (const name of (await unlessMissing(readdir(join(layout.state, 'checkouts')))) ?? []) {
    const gitDir = join(layout.checkout(name), '.git')
    await lock(`checkout-${name}`, signal, async (spawned) => {
      if ((await unlessMissing(stat(gitDir))) === null) return
      await git(['update-ref', 'refs/drydock/commit', 'HEAD'], { gitDir, signal, spawned })
      await git(['gc', '--quiet', '--prune=now'], { gitDir, signal, spawned })
    })
  }
}
