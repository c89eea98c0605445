import { constants } from 'node:fs'
import { lstat, open, opendir, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { limits } from '../../domain/limits.ts'

export interface RunFile {
  readonly path: string
  readonly bytes: number
}

/** Implements `Artifacts.files`. */
export async function listRunFiles(folder: string): Promise<readonly RunFile[]> {
  const manifest = await fileAt(folder, 'manifest.json')
  if (manifest === null) return []
  return [manifest, ...(await filesBelow(folder, 'logs')), ...(await filesBelow(folder, 'build'))]
}

/**
 * The files, sorted by path; links to folders are not followed. Folders that a step has made
 * unreadable are left out.
 */
async function filesBelow(folder: string, top: string): Promise<readonly RunFile[]> {
  const found: RunFile[] = []
  const folders = [top]
  for (const below of folders) {
    const entries = await opendir(join(folder, below)).catch(() => [])
    for await (const entry of entries) {
      if (found.length >= limits.blobs.files || folders.length >= limits.blobs.files) break
      const path = join(below, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) found.push(...[await fileAt(folder, path)].filter((file) => file !== null))
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

async function fileAt(folder: string, path: string): Promise<RunFile | null> {
  const stats = await lstat(join(folder, path)).catch(() => null)
  return stats?.isFile() ? { path, bytes: stats.size } : null
}

/** Implements `Artifacts.readFile`. */
export async function* readRunFile(folder: string, path: string): AsyncIterable<Uint8Array> {
  const top = await realpath(folder)
  const real = join(await realpath(join(top, dirname(path))), path.slice(path.lastIndexOf('/') + 1))
  if (!real.startsWith(`${top}${sep}`)) throw new Error(`${path} leads out of ARTIFACT_DIR`)
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`)
    for (;;) {
      // A new buffer for each piece, since the consumer may keep it.
      const { buffer, bytesRead } = await file.read(Buffer.alloc(1 << 20), 0, 1 << 20, null)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
