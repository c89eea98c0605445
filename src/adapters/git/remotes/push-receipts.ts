import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { PushTarget } from '../../../ports/remotes.ts'
import type { GitParts } from '../git-parts.ts'
import type { OnSpawn } from '../lock.ts'
import { notesRef } from '../publisher/note.ts'
import { objectId } from '../revision.ts'
import { fetchFromMirror, isStale, placeOf, pushing, type RemoteGit } from './remote-git.ts'

interface Pushing {
  readonly target: PushTarget
  readonly commits: readonly string[]
  readonly run: RemoteGit
}

/** The ref that holds the remote's notes while ours are added. */
const theirs = 'refs/notes/drydock-push'

/** Implements Remotes.pushReceipts. The notes are merged in the mirror. */
export async function pushReceipts(parts: GitParts, { target, commits, run }: Pushing): Promise<void> {
  await parts.lock('push-receipts', undefined, async (spawned) => {
    for (let tries = 1; ; tries += 1) {
      const before = await placeOf(run, target.url, notesRef)
      const after = await withOurs(parts, { before, target, commits, run, spawned })
      if (after === null || after === before) return
      await fetchFromMirror(parts, after)
      try {
        await run(pushing(target.url, { ref: notesRef, from: before, to: after }))
        return
      } catch (error) {
        if (!isStale(error)) throw error
        if (tries === limits.forge.pushTries) throw busy(error)
      }
    }
  })
}

/** The remote's notes with our receipts added; null if none of the commits has one. */
async function withOurs(
  { git, userGit, layout, repository }: GitParts,
  { before, target, commits, run, spawned }: Pushing & { readonly before: string | null; readonly spawned: OnSpawn },
): Promise<string | null> {
  const own = { gitDir: layout.mirror, spawned }
  await git(['update-ref', '-d', theirs], own)
  if (before !== null) {
    const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules']
    await run(['fetch', ...quiet, '--end-of-options', target.url, notesRef])
    const here = await userGit(['cat-file', '-e', before], { workTree: repository, exits: [1, 128] })
    // The ref moved in between, or cannot be fetched by name.
    if (here.code !== 0) await run(['fetch', ...quiet, '--end-of-options', target.url, before])
    await git(['fetch', ...quiet, '--update-shallow', repository, `+${before}:${theirs}`], own)
  }
  let added = before !== null
  for (const commit of commits) {
    const blob = await noteOn(notesRef, commit)
    if (blob === '' || blob === (await noteOn(theirs, commit))) continue
    await git(['notes', `--ref=${theirs}`, 'add', '--force', `--reuse-message=${blob}`, commit], own)
    added = true
  }
  return added ? objectId((await git(['rev-parse', '--verify', theirs], own)).stdout) : null

  async function noteOn(ref: string, commit: string): Promise<string> {
    const { stdout } = await git(['notes', `--ref=${ref}`, 'list', commit], { ...own, exits: [1] })
    return stdout.toString('latin1').trim()
  }
}

function busy(cause: unknown): DrydockError {
  return new DrydockError('push_refused', `Somebody else keeps pushing ${notesRef}.`, {
    todo: 'Run the same command again.',
    cause,
  })
}
