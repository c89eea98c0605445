import { randomUUID } from 'node:crypto'
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes the file or folder at `path` with all its content, even if untrusted code has made it
 * without permissions, or deeper than a path may be long.
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

/**
 * Restores every folder's permissions and moves it up to `top`. `rm` may still be removing siblings
 * of the path at which it gave up, so anything may vanish in the meantime.
 */
async function flatten(top: string): Promise<void> {
  await chmod(top, 0o700)
  const folders: Buffer[] = [Buffer.from(top)]
  const unused = randomUUID()
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' }).catch(ignoreMissing)
    for (const entry of entries ?? []) {
      if (!entry.isDirectory()) continue
      const from = Buffer.concat([folder, Buffer.from('/'), entry.name])
      const to = Buffer.from(join(top, `${unused}-${folders.length}`))
      const moved = async () => {
        await chmod(from, 0o700)
        await rename(from, to)
        folders.push(to)
      }
      await moved().catch(ignoreMissing)
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
