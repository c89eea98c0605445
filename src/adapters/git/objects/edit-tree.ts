import type { RawPath } from '../raw-path.ts'
import type { ReadObject } from './read-objects.ts'
import { isFolder, type TreeEntries, type TreeEntry, treeContent, treeEntries } from './tree-entries.ts'
import { writeObject } from './write-object.ts'

/** A path with its entry after the edit; null if the path is removed. */
export interface TreeEdit {
  readonly path: RawPath
  readonly entry: TreeEntry | null
}

interface Places {
  readonly objects: ReadObject
  /** The folder that new trees are written to. */
  readonly folder: string
  readonly format: 'sha1' | 'sha256'
}

/** A folder of the tree that is being built. */
interface Open {
  readonly entries: Map<string, TreeEntry>
  /** The subfolders with edits, which are not among `entries`. */
  readonly below: Map<string, Open>
}

/**
 * Writes a tree with edits of files, applied in order as an index does: a file replaces a folder, a
 * folder replaces a file, and a folder without files is left out. Folders without edits are not
 * read.
 */
export async function editTree(places: Places, tree: TreeEntries, edits: readonly TreeEdit[]): Promise<string> {
  const root: Open = { entries: new Map(tree), below: new Map() }
  for (const { path, entry } of edits) await edit(places.objects, { folder: root, names: path.split('/'), entry })
  return (await write(places, root)) ?? writeTree(places, new Map())
}

interface Edit {
  readonly folder: Open
  readonly names: readonly string[]
  readonly entry: TreeEntry | null
}

async function edit(objects: ReadObject, { folder, names, entry }: Edit): Promise<void> {
  const [name = '', ...rest] = names
  if (rest.length === 0) {
    folder.below.delete(name)
    if (entry === null) folder.entries.delete(name)
    else folder.entries.set(name, entry)
    return
  }
  const below = folder.below.get(name) ?? (await open(objects, folder.entries.get(name)))
  if (below.entries.size + below.below.size === 0 && entry === null) return
  folder.below.set(name, below)
  folder.entries.delete(name)
  await edit(objects, { folder: below, names: rest, entry })
}

async function open(objects: ReadObject, entry: TreeEntry | undefined): Promise<Open> {
  if (entry === undefined || !isFolder(entry.mode)) return { entries: new Map(), below: new Map() }
  const found = await objects(entry.id, { maxBytes: Number.MAX_SAFE_INTEGER })
  if (found?.content == null) throw new Error(`git cannot read the tree ${entry.id}, which it lists`)
  return { entries: new Map(treeEntries(found.content, found.id.length / 2)), below: new Map() }
}

/** Returns null for a folder that became empty, which its parent then leaves out. */
async function write(places: Places, { entries, below }: Open): Promise<string | null> {
  const all = new Map(entries)
  for (const [name, open] of below) {
    const id = await write(places, open)
    if (id !== null) all.set(name, { mode: '040000', id })
  }
  return all.size === 0 ? null : writeTree(places, all)
}

function writeTree({ folder, format }: Places, entries: TreeEntries): Promise<string> {
  return writeObject(folder, { type: 'tree', content: treeContent(entries), format })
}
