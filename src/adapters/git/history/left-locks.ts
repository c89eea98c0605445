import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { pathsBelow } from '../paths-below.ts'
import { unlessMissing } from '../unless-missing.ts'

/** True if the error may come from a lock that a killed git left behind. */
export function leftLocked(error: unknown): boolean {
  return error instanceof DrydockError && /another git process|cannot lock ref|\.lock'/i.test(error.message)
}

/**
 * Removes lock files of refs that only an update of the mirror writes, or of refs in `folders`.
 * `olderThanMs` protects the locks of writers that may be running: git never holds one for so long.
 */
export async function removeRefLocks(
  gitDir: string,
  folders: readonly string[] = ['heads', 'tags', 'user'],
  { olderThanMs = 0 }: { readonly olderThanMs?: number } = {},
) {
  for (const folder of folders) {
    const top = join(gitDir, 'refs', folder)
    const files = (await unlessMissing(pathsBelow(Buffer.from(top)))) ?? []
    for (const path of files.map(String).filter((file) => file.endsWith('.lock'))) {
      const found = olderThanMs === 0 ? null : await unlessMissing(stat(path))
      if (found === null || Date.now() - found.mtimeMs > olderThanMs) await rm(path, { force: true })
    }
  }
}
