import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeFolder } from './remove-folder.ts'

/**
 * Removes an entry of a cache so that nobody finds half of it under its name. An interrupted
 * removal leaves a name with a leading dot.
 */
export async function discard(path: string): Promise<void> {
  const leaving = join(dirname(path), `.removed.${randomBytes(6).toString('hex')}`)
  await rename(path, leaving)
  await removeFolder(leaving)
}
