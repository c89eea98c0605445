import { open } from 'node:fs/promises'

/** Writes a new file, whole and on the disk. */
export async function writeNew(path: string, content: string | Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
