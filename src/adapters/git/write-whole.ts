import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { unlessMissing } from './unless-missing.ts'

/**
 * Makes the file hold exactly `content`; another process sees all of it or what was there before.
 */
export async function writeWhole(path: string, content: string): Promise<void> {
  if ((await unlessMissing(readFile(path, 'utf8'))) === content) return
  const next = `${path}.${randomUUID()}`
  await writeFile(next, content)
  await rename(next, path)
}
