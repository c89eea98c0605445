import { failed } from '../git.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder } from '../objects/tree-entries.ts'
import { shownPath } from '../raw-path.ts'
import { contents, entriesOf } from './contents.ts'

/** See History.namesIn. */
export async function namesIn(
  objects: ReadObject,
  { sha, folder }: { readonly sha: string; readonly folder: string },
): Promise<readonly string[] | null> {
  const entry = (await contents(objects, { sha, paths: [folder] }))[folder] ?? null
  if (entry === null) return []
  const [mode = '', , id = ''] = entry.split(' ')
  if (!isFolder(mode)) return null
  const entries = await entriesOf(objects, id)
  if (entries === null) throw failed(['cat-file'], `${id} is not a tree of the repository`)
  return [...entries.keys()].map(shownPath)
}
