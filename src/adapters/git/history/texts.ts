import type { CommitTexts, WantedTexts } from '../../../ports/history.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { shownPath } from '../raw-path.ts'
import { isGitFolder } from './tree-path.ts'
import { walkTree } from './walk-tree.ts'

/** The most files and folders of a commit that are visited. */
const mostEntries = 400_000
/** The number of contents that are read at the same time. */
const atOnce = 32

/** Implements History.texts. */
export async function texts(
  objects: ReadObject,
  { sha, wanted }: { readonly sha: string; readonly wanted: WantedTexts },
): Promise<CommitTexts> {
  const { signal } = wanted
  const paths: string[] = []
  const asked: { readonly path: string; readonly id: string }[] = []
  const all = await walkTree(objects, { sha, most: mostEntries, signal })
  for (const { path: raw, entry } of all.files) {
    const path = shownPath(raw)
    if (!entry.mode.startsWith('100') || isGitFolder(path)) continue
    paths.push(path)
    if (wanted.isWanted(path)) asked.push({ path, id: entry.id })
  }
  const found = new Map<string, string>()
  let [files, bytes, isWhole] = [0, 0, all.isWhole]
  for (let at = 0; at < asked.length && files <= wanted.files; at += atOnce) {
    const some = asked.slice(at, at + atOnce)
    const read = await Promise.all(some.map(({ id }) => objects(id, { maxBytes: wanted.fileBytes, signal })))
    for (const [i, { path }] of some.entries()) {
      const object = read[i]
      if (object == null) throw new Error(`git cannot read ${JSON.stringify(path)}, which it lists`)
      if (object.content === null) continue
      files += 1
      if (files > wanted.files || bytes + object.size > wanted.bytes) {
        isWhole = false
        continue
      }
      bytes += object.size
      if (!object.content.subarray(0, 8_000).includes(0)) found.set(path, object.content.toString('utf8'))
    }
  }
  return { paths, texts: found, whole: isWhole }
}
