import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * What the sessions of all dashboards of an installation are signed with: made once, in a file that
 * its user alone can read. One that others have made or
 * could have read is replaced, which ends the sessions.
 */
export async function installationSecret(folder: string): Promise<string> {
  const file = join(folder, 'dashboard-secret')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await stat(file).catch(() => null)
  const isOwn = found !== null && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0
  if (found !== null && !isOwn) await rm(file)
  // Linked into its place, so that nobody reads half of it and the first one stays.
  const made = join(folder, `.dashboard-secret-${randomUUID()}`)
  await writeFile(made, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600 })
  try {
    await chmod(made, 0o600)
    await link(made, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(made, { force: true })
  }
  return readFile(file, 'utf8')
}
