import { readdir } from 'node:fs/promises'

const slash = Buffer.from('/')

/**
 * Paths of all that lies below a folder, as bytes. Links are named and not followed, as Node's own
 * recursion does: one in a repository may lead anywhere, and back to where it lies.
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
