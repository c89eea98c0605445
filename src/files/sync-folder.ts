import { open } from 'node:fs/promises'

/** Keeps what was renamed in a folder also when the machine stops. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
