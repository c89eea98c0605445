import { constants } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readCommit } from '../objects/commits.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, type TreeEntries, type TreeEntry, treeEntries } from '../objects/tree-entries.ts'
import { type ObjectType, writeObject } from '../objects/write-object.ts'
import { objectFormat } from '../revision.ts'
import { entriesOf, noTree } from './contents.ts'

interface From {
  readonly objects: ReadObject
  /** The mirror, which has the objects. */
  readonly mirror: string
  /** The git directory that gets them. */
  readonly gitDir: string
  readonly signal: AbortSignal | undefined
}

/** A running copy, with the objects and bytes that it may still copy. */
interface Copying extends From {
  readonly left: { objects: number; bytes: number }
}

/** Larger copies are left to `git fetch`, which packs them. */
const mostObjects = 1_000
const mostBytes = 64 * 1024 ** 2

/**
 * Copies commits of the mirror into one of Drydock's git directories, on top of those that it has:
 * a few objects, for which a fetch would start six programs. Returns false if there are many
 * objects, or large ones; objects copied before that do no harm.
 */
export async function copyCommits(from: From, commits: readonly string[]): Promise<boolean> {
  const copying = { ...from, left: { objects: mostObjects, bytes: mostBytes } }
  const whole = { maxBytes: Number.MAX_SAFE_INTEGER, signal: from.signal }
  for (const sha of commits) {
    const [parent = ''] = (await readCommit(from.objects, sha, from.signal))?.parents ?? []
    const [old, now] = await Promise.all([parent, sha].map((name) => from.objects(`${name}^{tree}`, whole)))
    if (old?.content == null || now?.content == null) throw lacking(sha)
    const entries = [old, now].map(({ id, content }) => treeEntries(content ?? Buffer.of(), id.length / 2))
    if (!(await copyTree(copying, now.id, entries as [TreeEntries, TreeEntries]))) return false
    if (!(await copyObject(copying, sha, 'commit'))) return false
  }
  return true
}

function lacking(id: string): Error {
  return new Error(`the mirror lacks ${id}, which it names`)
}

/**
 * Copies a tree and those of its objects that the destination lacks. Returns false as copyCommits
 * does.
 */
async function copyTree(
  copying: Copying,
  id: string,
  [old, now]: readonly [TreeEntries, TreeEntries],
): Promise<boolean> {
  for (const [name, entry] of now) {
    const before = old.get(name)
    // A submodule's commit belongs to another repository.
    if (before?.id === entry.id || entry.mode === '160000') continue
    const isCopied = isFolder(entry.mode)
      ? await copyTree(copying, entry.id, await both(copying, before, entry))
      : await copyObject(copying, entry.id, 'blob')
    if (!isCopied) return false
  }
  return copyObject(copying, id, 'tree')
}

async function both(
  { objects, signal }: From,
  before: TreeEntry | undefined,
  entry: TreeEntry,
): Promise<[TreeEntries, TreeEntries]> {
  const read = async (id: string) => (await entriesOf(objects, id, signal)) ?? noTree(id)
  return [before && isFolder(before.mode) ? await read(before.id) : new Map(), await read(entry.id)]
}

/**
 * Copies an object. A hard link to the mirror's file would reveal when the object was made. Returns
 * false as copyCommits does.
 */
async function copyObject(copying: Copying, id: string, type: ObjectType): Promise<boolean> {
  const { objects, mirror, gitDir, signal, left } = copying
  signal?.throwIfAborted()
  if (left.objects === 0) return false
  left.objects -= 1
  const file = join('objects', id.slice(0, 2), id.slice(2))
  await mkdir(dirname(join(gitDir, file)), { recursive: true })
  try {
    await copyFile(join(mirror, file), join(gitDir, file), constants.COPYFILE_FICLONE)
    return true
  } catch {
    const found = await objects(id, { maxBytes: left.bytes, signal })
    if (found === null) throw lacking(id)
    if (found.content === null) return false
    left.bytes -= found.size
    // Not flushed to disk, since a copy can be made again: see `sinceStart`.
    const written = { type, content: found.content, format: objectFormat(id), flush: false }
    await writeObject(join(gitDir, 'objects'), written)
    return true
  }
}
