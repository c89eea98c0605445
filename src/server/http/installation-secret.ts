import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWhole } from '../../files/write-whole.ts'

/**
 * The key that signs the sessions of all dashboards of an installation. Created once, in a file
 * that only its user can read. If other users own the file or could have read it, it is replaced,
 * which ends all sessions.
 */
export async function installationSecret(folder: string): Promise<string> {
  const file = join(folder, 'dashboard-secret')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await stat(file).catch(() => null)
  const isOwn = found !== null && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0
  if (found !== null && !isOwn) await rm(file)
  await makeWhole(file, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFile(file, 'utf8')
}
