import { link, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readCommit } from '../objects/commits.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntries, type TreeEntry, treeEntries } from '../objects/tree-entries.ts'
import { type ObjectType, writeObject } from '../objects/write-object.ts'
import { objectFormat } from '../revision.ts'
import { entriesOf, noTree } from './contents.ts'

interface Copying {
  readonly objects: ReadObject
  /** The mirror, which has the objects. */
  readonly mirror: string
  /** The git directory that gets them. */
  readonly gitDir: string
}

/**
 * Gives a git directory of Drydock's own some commits of the mirror, on top of those that it has:
 * a few objects, which a fetch has six programs for.
 */
export async function copyCommits(copying: Copying, commits: readonly string[]): Promise<void> {
  for (const sha of commits) {
    const [parent = ''] = (await readCommit(copying.objects, sha))?.parents ?? []
    const [old, now] = await Promise.all([parent, sha].map((name) => copying.objects(`${name}^{tree}`, whole)))
    if (old?.content == null || now?.content == null) throw lacking(sha)
    const entries = [old, now].map(({ id, content }) => treeEntries(content ?? Buffer.of(), id.length / 2))
    await copyTree(copying, now.id, entries as [TreeEntries, TreeEntries])
    await copyObject(copying, sha, 'commit')
  }
}

const whole = { maxBytes: Number.MAX_SAFE_INTEGER }

function lacking(id: string): Error {
  return new Error(`the mirror lacks ${id}, which it names`)
}

/** Copies a tree with what the other one does not have at the same place. */
async function copyTree(copying: Copying, id: string, [old, now]: readonly [TreeEntries, TreeEntries]): Promise<void> {
  for (const [name, entry] of now) {
    const before = old.get(name)
    // The commit of a submodule is of another repository.
    if (before?.id === entry.id || entry.mode === '160000') continue
    if (!isFolder(entry.mode)) await copyObject(copying, entry.id, 'blob')
    else await copyTree(copying, entry.id, await both(copying.objects, before, entry))
  }
  await copyObject(copying, id, 'tree')
}

async function both(
  objects: ReadObject,
  before: TreeEntry | undefined,
  entry: TreeEntry,
): Promise<[TreeEntries, TreeEntries]> {
  const old = before && isFolder(before.mode) ? ((await entriesOf(objects, before.id)) ?? noTree(before.id)) : new Map()
  return [old, (await entriesOf(objects, entry.id)) ?? noTree(entry.id)]
}

/** As a link to the file of the mirror where there is one, which git never changes. */
async function copyObject({ objects, mirror, gitDir }: Copying, id: string, type: ObjectType): Promise<void> {
  const file = join('objects', id.slice(0, 2), id.slice(2))
  await mkdir(dirname(join(gitDir, file)), { recursive: true })
  try {
    await link(join(mirror, file), join(gitDir, file))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    const found = await objects(id, whole)
    if (found?.content == null) throw lacking(id)
    // What is copied can be copied again: see `sinceStart`.
    const written = { type, content: found.content, format: objectFormat(id), flush: false }
    await writeObject(join(gitDir, 'objects'), written)
  }
}
