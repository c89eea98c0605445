import { open } from 'node:fs/promises'

/** Flushes a folder, so that renames in it survive a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
