import { randomUUID } from 'node:crypto'
import { mkdir, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ApplyResult } from '../../../ports/user-repository.ts'
import type { Git } from '../git.ts'
import { type TreeChange, treeChanges } from '../history/tree-changes.ts'
import type { Layout } from '../layout.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import type { TreeEntry } from '../objects/tree-entries.ts'
import { partialIndex } from '../partial-index.ts'
import { onlyHolds, type RawPath, rawPaths, shownPath, userPath, whatIsThere } from '../raw-path.ts'
import { removeTree } from '../work-trees/remove-tree.ts'

interface Parts {
  readonly objects: ReadObject
  readonly userGit: Git
  readonly repository: string
  readonly layout: Layout
}

/**
 * Implements UserRepository.applyToUserTree. Files are compared and written with the user's own
 * conversions, through two temporary indexes of only the paths in question; the user's own index is
 * neither read nor written.
 */
export async function applyToUserTree(
  parts: Parts,
  { base, sha, head }: { readonly base: string; readonly sha: string; readonly head: string },
): Promise<ApplyResult> {
  const changes = await treeChanges(parts.objects, { from: base, to: sha })
  const moved = await treeChanges(parts.objects, { from: base, to: head })
  const scratch = join(parts.layout.scratch, randomUUID())
  await mkdir(scratch)
  try {
    const before = await partialIndex(parts, join(scratch, 'before'), entriesOf(changes, 'before'))
    const after = await partialIndex(parts, join(scratch, 'after'), entriesOf(changes, 'after'))
    const sparse = await leftOutOf(parts, changes)
    const { todo, conflicts } = await judge({ repository: parts.repository, changes, moved, before, after, sparse })
    if (conflicts.length > 0) {
      const shown = ({ path }: TreeChange) => shownPath(path)
      const leftOut = conflicts.filter((change) => change.after === null && sparse.has(change.path)).map(shown)
      return { applied: false, conflicts: conflicts.map(shown), ...(leftOut.length > 0 && { leftOut }) }
    }
    await removeFiles(
      parts.repository,
      todo.filter((change) => change.after === null),
    )
    await after.write(todo.filter((change) => change.after !== null).map(({ path }) => path))
    return { applied: true, files: changes.map(({ path }) => shownPath(path)) }
  } finally {
    await removeTree(scratch)
  }
}

/** Changed files that a sparse checkout omits from the user's working tree. */
async function leftOutOf(
  { userGit, repository }: Parts,
  changes: readonly TreeChange[],
): Promise<ReadonlySet<RawPath>> {
  const known = changes.filter(({ before }) => before !== null).map(({ path }) => path)
  const there = await Promise.all(known.map((path) => whatIsThere(repository, path, new Set())))
  const absent = new Set(known.filter((_, i) => there[i] === 'nothing'))
  if (absent.size === 0) return absent
  const { stdout } = await userGit(['ls-files', '-t', '-z'], { workTree: repository })
  const skipped = rawPaths(stdout).flatMap((line) => (line.startsWith('S ') ? line.slice(2) : []))
  return new Set(skipped.filter((path) => absent.has(path)))
}

function entriesOf(changes: readonly TreeChange[], side: 'before' | 'after') {
  return changes.flatMap(({ path, [side]: entry }) => (entry === null ? [] : [{ path, entry }]))
}

/**
 * Sorts the changes into those still to be made and those that would overwrite the user's files;
 * all others are made already.
 */
async function judge(given: {
  readonly repository: string
  readonly changes: readonly TreeChange[]
  readonly moved: readonly TreeChange[]
  readonly before: { readonly same: ReadonlySet<string> }
  readonly after: { readonly same: ReadonlySet<string> }
  readonly sparse: ReadonlySet<RawPath>
}): Promise<{ readonly todo: readonly TreeChange[]; readonly conflicts: readonly TreeChange[] }> {
  const { repository, changes, before, after, sparse } = given
  const paths = new Set(changes.map(({ path }) => path))
  const deleted = new Set(changes.filter((change) => change.after === null).map(({ path }) => path))
  const moved = new Set(given.moved.map(({ path }) => path))
  const todo: TreeChange[] = []
  const conflicts: TreeChange[] = []
  for (const change of changes) {
    const there = await whatIsThere(repository, change.path, paths)
    const equals = (side: TreeEntry | null, { same }: { readonly same: ReadonlySet<string> }) =>
      side === null ? there === 'nothing' : there === 'file' && same.has(change.path)
    const isLeftOut = sparse.has(change.path)
    const gone = change.after === null && there === 'folder'
    if (gone || (!isLeftOut && equals(change.after, after))) continue
    const emptied = there === 'folder' && (await onlyHolds(repository, change.path, deleted))
    const isRestorable = isLeftOut && change.after !== null
    const untouched = isRestorable || equals(change.before, before) || (change.before === null && emptied)
    if (untouched && !moved.has(change.path)) todo.push(change)
    else conflicts.push(change)
  }
  return { todo, conflicts }
}

/** Removes the files, and the folders that become empty. */
async function removeFiles(repository: string, changes: readonly TreeChange[]) {
  for (const { path } of changes) {
    await unlink(userPath(repository, path))
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (!(await removedEmpty(userPath(repository, folder)))) break
  }
}

async function removedEmpty(folder: Buffer): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
