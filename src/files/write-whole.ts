import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './sync-folder.ts'

interface WriteOptions {
  /** Exactly these permissions; if left out, the umask applies. */
  readonly mode?: number
  /** True if the content and the name are flushed before the promise resolves. */
  readonly onDisk?: boolean
}

/**
 * Atomically replaces or creates a file: a reader finds the old content or the new one, never a
 * part.
 */
export async function writeWhole(file: string, content: string | Uint8Array, options: WriteOptions = {}) {
  await place(file, content, { ...options, put: rename })
}

/** Like `writeWhole`, unless the file has this content already. */
export async function writeChanged(file: string, content: string, options: WriteOptions = {}): Promise<void> {
  const old = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (old !== content) await writeWhole(file, content, options)
}

/** Atomically creates a file. Returns false without a change if it exists. */
export async function makeWhole(file: string, content: string | Uint8Array, options: WriteOptions = {}) {
  try {
    await place(file, content, { ...options, put: link })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function place(
  file: string,
  content: string | Uint8Array,
  { put, mode, onDisk = false }: WriteOptions & { readonly put: (draft: string, file: string) => Promise<void> },
): Promise<void> {
  const folder = dirname(file)
  const draft = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}`)
  const handle = await open(draft, 'wx', mode ?? 0o666)
  try {
    try {
      await handle.writeFile(content)
      if (mode !== undefined) await handle.chmod(mode)
      if (onDisk) await handle.sync()
    } finally {
      await handle.close()
    }
    await put(draft, file)
  } finally {
    // A renamed draft is gone already; a linked one still has its first name.
    await rm(draft, { force: true })
  }
  if (onDisk) await syncFolder(folder)
}
