import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeFolder } from './remove-folder.ts'

/**
 * Removes an entry of a cache so that nobody ever finds half of it under its name. What an
 * interruption leaves has a dot in front.
 */
export async function discard(path: string): Promise<void> {
  const leaving = join(dirname(path), `.removed.${randomBytes(6).toString('hex')}`)
  await rename(path, leaving)
  await removeFolder(leaving)
}
