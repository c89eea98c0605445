import { stat } from 'node:fs/promises'
import type { HiddenCommit } from '../../../ports/history.ts'
import type { Git } from '../git.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeLocks } from '../work-trees/move-work-tree.ts'

/** Implements History.hidden. */
export async function hiddenCommits(git: Git, mirror: string, under: string): Promise<readonly HiddenCommit[]> {
  mustBeHidden(under)
  return hiddenBelow(git, mirror, under)
}

/** The hidden commits below any folder of refs in the mirror. */
export async function hiddenBelow(git: Git, mirror: string, under: string): Promise<readonly HiddenCommit[]> {
  if ((await unlessMissing(stat(mirror))) === null) return []
  const format = '%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(committerdate:unix)%00%(subject)'
  const { stdout } = await git(['for-each-ref', `--format=${format}`, '--sort=version:refname', under], {
    gitDir: mirror,
  })
  return stdout
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [ref = '', sha = '', tree = '', parents = '', at = '', subject = ''] = line.split('\0')
      const parent = parents.split(' ')[0] || null
      return { ref, sha, tree, parent, at: new Date(Number(at) * 1_000).toISOString(), subject }
    })
}

/** Implements History.forget. */
export async function forget(
  { layout, git, lock }: { readonly layout: Layout; readonly git: Git; readonly lock: Lock },
  refs: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const ref of refs) mustBeHidden(ref)
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  await lock('mirror', signal, (spawned) =>
    lock('refs', signal, async () => {
      await removeLocks(layout.mirror)
      await git(['update-ref', '--stdin'], { gitDir: layout.mirror, input, signal, spawned })
    }),
  )
}

/** Throws for a ref that is not one of Drydock's own. */
export function mustBeHidden(ref: string): void {
  if (!ref.startsWith('refs/drydock/')) throw new Error(`${ref} is not below refs/drydock/`)
}
