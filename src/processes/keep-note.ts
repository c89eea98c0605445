import { rename, writeFile } from 'node:fs/promises'

/** Writes a file of the user's own; what another process is reading of it stays whole. */
export async function keepNote(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}
