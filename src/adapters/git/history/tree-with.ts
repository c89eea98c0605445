import { join } from 'node:path'
import type { History } from '../../../ports/history.ts'
import type { Layout } from '../layout.ts'
import { editTree, type TreeEdit } from '../objects/edit-tree.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder, latin1Name, type TreeEntry } from '../objects/tree-entries.ts'
import { writeObject } from '../objects/write-object.ts'
import { type RawPath, shownPath } from '../raw-path.ts'
import { objectFormat } from '../revision.ts'
import { entriesAt, entriesOf, noTree } from './contents.ts'
import { mustBeInTree } from './tree-path.ts'

/** Implements History.treeWith, without running git and without an index. */
export async function treeWith(
  { layout, objects }: { readonly layout: Layout; readonly objects: ReadObject },
  { base, from, paths, files = [], without = [] }: Parameters<History['treeWith']>[0],
): Promise<string> {
  for (const path of [...paths, ...without, ...files.map((file) => file.path)]) mustBeInTree(path)
  const folder = join(layout.mirror, 'objects')
  const tree = (await entriesOf(objects, `${base}^{tree}`)) ?? noTree(base)
  if ((await objects(`${from}^{tree}`, { maxBytes: 0 })) === null) noTree(from)
  const at = (sha: string, of: readonly string[]) => filesAt(objects, { sha, paths: of })
  const dropped = new Set(without)
  const [before, after] = await Promise.all([
    at(base, [...new Set([...paths, ...without])]),
    at(
      from,
      paths.filter((path) => !dropped.has(path)),
    ),
  ])
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path) => ({ path, entry: null }))
  const taken = [...after].map(([path, entry]) => ({ path, entry }))
  const old = await at(
    base,
    files.map(({ path }) => path),
  )
  const modeOf = (path: RawPath) => ((after.get(path) ?? old.get(path))?.mode === '100755' ? '100755' : '100644')
  const format = objectFormat(base)
  const made: TreeEdit[] = []
  for (const { path, content } of files) {
    const id = await writeObject(folder, { type: 'blob', content: Buffer.from(content), format })
    const raw = latin1Name(path)
    made.push({ path: raw, entry: { mode: modeOf(raw), id } })
  }
  // Removals come first, since a file may replace a folder.
  return editTree({ objects, folder, format }, tree, [...gone, ...taken, ...made])
}

/** The entries at the paths, without folders. */
async function filesAt(
  objects: ReadObject,
  { sha, paths }: { readonly sha: string; readonly paths: readonly string[] },
): Promise<ReadonlyMap<RawPath, TreeEntry>> {
  const raw = (await Promise.all(paths.map((path) => rawPathsOf(objects, { sha, path })))).flat()
  const found = await entriesAt(objects, { sha, paths: raw })
  return new Map([...found].filter(([, { mode }]) => !isFolder(mode)))
}

/** A name that is not UTF-8 is known only in its displayed form, which several names may share. */
async function rawPathsOf(
  objects: ReadObject,
  { sha, path }: { readonly sha: string; readonly path: string },
): Promise<readonly RawPath[]> {
  if (!path.includes('\uFFFD')) return [latin1Name(path)]
  let found: readonly { readonly path: RawPath; readonly id: string }[] = [{ path: '', id: `${sha}^{tree}` }]
  for (const name of path.split('/')) {
    const below = found.map(async (folder) =>
      [...((await entriesOf(objects, folder.id)) ?? [])].flatMap(([each, { id }]) =>
        shownPath(each) === name ? [{ path: folder.path === '' ? each : `${folder.path}/${each}`, id }] : [],
      ),
    )
    found = (await Promise.all(below)).flat()
  }
  return found.map((each) => each.path)
}
