import { constants } from 'node:fs'
import { open, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../domain/limits.ts'
import type { Redact } from '../../domain/secrets/redact.ts'

/** The most folders that are searched. */
const maxFolders = 1_000

/**
 * Removes secrets from files that steps have left below a folder, such as test reports. Files that
 * are unreadable, or larger than a log may be, stay as they are. Nothing else may write there in
 * the meantime.
 */
export async function redactFiles(top: string, redact: Redact): Promise<void> {
  const folders = [top]
  for (const folder of folders) {
    const entries = await opendir(folder).catch(() => [])
    for await (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && folders.length < maxFolders) folders.push(path)
      else if (entry.isFile()) await redactFile(path, redact)
    }
  }
}

async function redactFile(path: string, redact: Redact): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (file === null) return
  try {
    const { size } = await file.stat()
    if (size > limits.logBytes) return
    const text = await file.readFile('latin1')
    const clean = redact(text)
    if (clean === text) return
    await file.truncate(0)
    await file.write(clean, 0, 'latin1')
  } finally {
    await file.close()
  }
}
