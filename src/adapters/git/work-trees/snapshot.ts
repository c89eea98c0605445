import { copyFile, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Snapshot } from '../../../ports/history.ts'
import type { SnapshotResult, WorkTrees } from '../../../ports/work-trees.ts'
import type { Git, GitOptions, GitOutput } from '../git.ts'
import type { Mirror } from '../history/mirror-writes.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import { type CommitNames, readCommit } from '../objects/commits.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { shownPath } from '../raw-path.ts'
import { objectId } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { changeSize, tooManyFiles } from './change-size.ts'
import { ignoredPaths } from './ignored-paths.ts'
import { rememberTree, unchangedTree } from './last-snapshot.ts'
import { lookAround, type Sight } from './look-around.ts'
import { betweenTicks, removeLocks } from './move-work-tree.ts'
import { keepParentInIndex } from './parent-index.ts'
import { setAside } from './set-aside.ts'
import { slotWorkTree } from './slot.ts'

type Input = Parameters<WorkTrees['snapshot']>[0]
type Run = (
  args: readonly string[],
  options?: Pick<GitOptions, 'environment' | 'input' | 'maxBytes' | 'truncate'>,
) => Promise<GitOutput>

/**
 * Implements WorkTrees.snapshot. The tree depends only on the first parent and the files: it is
 * built in a copy of an index of that parent, so that files of an earlier snapshot do not count as
 * tracked.
 */
export async function snapshot(
  parts: { layout: Layout; git: Git; objects: ReadObject; lock: Lock; mirror: Mirror },
  input: Input,
  signal: AbortSignal,
): Promise<SnapshotResult> {
  const [parent] = input.parents
  if (parent === undefined) throw new Error('a snapshot needs a parent')
  const { git, objects, mirror, layout } = parts
  return parts.lock(`slot-${input.slot}`, signal, async (spawned) => {
    const place = slotWorkTree(layout, input.slot)
    const { gitDir, workTree } = place
    const run: Run = (args, options) => git(args, { ...options, gitDir, workTree, signal, spawned })
    await removeLocks(gitDir)
    const seenAt = await betweenTicks(join(gitDir, 'drydock-look'))
    const stamp = (await unlessMissing(stat(place.stamp))) === null ? null : place.stamp
    const [sight, kept] = await Promise.all([
      lookAround(place, { stamp, seenAt }, signal),
      alreadyKept(objects, input, signal),
    ])
    const seen = { gitDir, parent, digest: sight.digest }
    const same = await unchangedTree(objects, seen)
    if (same !== null) return { ok: true, snapshot: await keep(mirror, { ...input, tree: same, kept }) }
    const cannotBeKept = async (reason: string): Promise<SnapshotResult> => {
      const everything = (await readdir(workTree, 'latin1')).filter((name) => name !== '.git')
      if (input.setAside) await setAside(workTree, join(layout.aside, input.ref, 'all'), everything)
      return { ok: false, reason }
    }
    // Checked before git reads the tree, since one of the unlisted files may block git.
    if (sight.tooMany) return cannotBeKept(tooManyFiles)
    const inspected = (paths: readonly string[]) => ignoredPaths(git, { gitDir, workTree, signal }, paths)
    const refused = await refusedFiles(sight, inspected)
    if (input.setAside)
      await setAside(workTree, join(layout.aside, input.ref), [...refused.blocking, ...refused.nested])
    else if (refused.blocking.length + refused.nested.length > 0) return { ok: false, reason: refusal(refused) }

    const { touched } = sight
    await keepParentInIndex({ git, objects }, place, { parent, touched, seenAt, options: { signal, spawned } })
    const index = join(gitDir, 'snapshot.index')
    await copyFile(join(gitDir, 'index'), index)
    const onCopy: Run = (args, options) => run(args, { ...options, environment: { GIT_INDEX_FILE: index } })
    // First the files that are each too large, then, without them, the total.
    for (const large of sight.large.length === 0 ? [[]] : [sight.large, []]) {
      const seen = { ...sight, large }
      const tooLarge = await changeSize({ workTree, sight: seen, parent, run: onCopy, ignored: inspected })
      if (tooLarge !== null && !input.setAside) return { ok: false, reason: tooLarge.reason }
      if (tooLarge?.paths === null) return cannotBeKept(tooLarge.reason)
      if (tooLarge !== null) await setAside(workTree, join(layout.aside, input.ref), tooLarge.paths)
    }
    const problem = await addAll(onCopy)
    if (problem !== null) return cannotBeKept(problem)
    const tree = objectId((await onCopy(['write-tree'])).stdout)
    await rememberTree(objects, { ...seen, tree })
    return { ok: true, snapshot: await keep(mirror, { ...input, tree, kept }) }
  })
}

type RefusedPaths = Pick<Sight, 'nested' | 'blocking'>

/**
 * The files that git must not read. While a file blocks git, git cannot say what it ignores either.
 */
async function refusedFiles(
  { nested, blocking }: Sight,
  ignored: (paths: readonly string[]) => Promise<readonly string[]>,
): Promise<RefusedPaths> {
  if (blocking.length > 0) return { nested, blocking }
  const harmless = new Set(await ignored(nested.map((path) => dirname(path))))
  return { nested: nested.filter((path) => !harmless.has(dirname(path))), blocking }
}

function refusal({ nested, blocking }: RefusedPaths): string {
  if (blocking.length > 0) return `git cannot read ${shown(blocking)}: not a regular file, or too large; remove it`
  return `a git repository inside the workspace cannot be part of the change: remove ${shown(nested)}`
}

function shown(paths: readonly string[]): string {
  const names = paths.slice(0, 3).map((path) => JSON.stringify(shownPath(path)))
  return names.join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '')
}

/** Null, or the reason why git refuses the agent's files. */
async function addAll(run: Run): Promise<string | null> {
  try {
    await run(['add', '--all', '.'])
    return null
  } catch (error) {
    const refused =
      /invalid path|failed to encode|BOM is (required|prohibited)|Permission denied|does not have a commit checked out/
    if (error instanceof DrydockError && error.code === 'git_failed' && refused.test(error.message))
      return error.message
    throw error
  }
}

/** The commits of `ref` and `last`, as far as they exist. */
async function alreadyKept(
  objects: ReadObject,
  { ref, last }: Input,
  signal: AbortSignal,
): Promise<readonly CommitNames[]> {
  const names = [ref, ...(last === null ? [] : [last])]
  const found = await Promise.all(names.map((name) => readCommit(objects, name, signal)))
  return found.filter((commit) => commit !== null)
}

async function keep(
  mirror: Mirror,
  {
    ref,
    last,
    parents,
    message,
    at,
    tree,
    kept,
  }: Input & { readonly tree: string; readonly kept: readonly CommitNames[] },
): Promise<Snapshot> {
  const same = kept.find((commit) => commit.tree === tree && commit.parents.join() === parents.join())
  const sha = same?.sha ?? (await mirror.commit({ tree, parents, message, at }))
  // The commit found may be `last` alone, so the ref is set.
  if (same === undefined || sha === last) await mirror.keep(ref, sha)
  return { sha, tree }
}
