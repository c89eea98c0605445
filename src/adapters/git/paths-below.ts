import { readdir } from 'node:fs/promises'

const slash = Buffer.from('/')

/**
 * The paths of everything below a folder, as bytes. Links are listed and not followed, unlike in
 * Node's own recursion: a link in a repository may lead anywhere, even back to its folder.
 */
export async function pathsBelow(folder: Buffer): Promise<readonly Buffer[]> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = Buffer.concat([folder, slash, entry.name])
      return entry.isDirectory() ? [path, ...(await pathsBelow(path))] : [path]
    }),
  )
  return below.flat()
}
