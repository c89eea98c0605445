import { randomUUID } from 'node:crypto'
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes whatever is at `path`, and all in it, though untrusted code has made it: without
 * permissions, or deeper than a path can be long.
 */
export async function removeFolder(path: string): Promise<void> {
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    await remove()
  } catch (error) {
    if (!(await lstat(path)).isDirectory()) throw error
    await flatten(path)
    await remove()
  }
}

/** Gives every folder its permissions back and moves it up to `top`. */
async function flatten(top: string): Promise<void> {
  await chmod(top, 0o700)
  const folders: Buffer[] = [Buffer.from(top)]
  const unused = randomUUID()
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue
      const from = Buffer.concat([folder, Buffer.from('/'), entry.name])
      const to = Buffer.from(join(top, `${unused}-${folders.length}`))
      await chmod(from, 0o700)
      await rename(from, to)
      folders.push(to)
    }
  }
}
