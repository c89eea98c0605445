import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { removeRefLocks } from './left-locks.ts'
import { keepSharedPacks } from './link-objects.ts'

/** See History.tidy. */
export async function tidy(
  { layout, git, lock }: { layout: Layout; git: Git; lock: Lock },
  signal: AbortSignal,
): Promise<void> {
  // A git that was killed with its owner has left them; each names a ref that is written only once.
  // Workers may push meanwhile.
  await lock('refs', signal, () => removeRefLocks(layout.mirror, ['drydock'], { olderThanMs: 60_000 }))
  await lock('mirror', signal, async (spawned) => {
    await removeRefLocks(layout.mirror)
    await keepSharedPacks(layout.mirror)
    await git(['gc', '--quiet'], { gitDir: layout.mirror, signal, spawned })
  })
}
