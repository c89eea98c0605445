import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenFiles } from '../../ports/artifacts.ts'

/**
 * Finds the wanted files and links below a folder. Folders that a step has made unreadable are
 * skipped, and `isWhole` is then false.
 */
export async function writtenFiles(
  root: string,
  { isWanted, most }: { readonly isWanted: (path: string) => boolean; readonly most: number },
): Promise<WrittenFiles> {
  const paths: string[] = []
  const folders = ['']
  let [looked, isWhole] = [0, true]
  for (const folder of folders) {
    const entries = await opendir(join(root, folder)).catch(() => null)
    if (entries === null) {
      isWhole = false
      continue
    }
    for await (const entry of entries) {
      looked += 1
      if (looked > most) {
        isWhole = false
        break
      }
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) folders.push(path)
      // An overlay shows a removed file as a device.
      else if ((entry.isFile() || entry.isSymbolicLink()) && isWanted(path)) paths.push(path)
    }
    if (looked > most) break
  }
  return { paths: paths.sort(), isWhole }
}
