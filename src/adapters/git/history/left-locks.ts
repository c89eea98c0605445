import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { pathsBelow } from '../paths-below.ts'
import { unlessMissing } from '../unless-missing.ts'

/** Whether a git that was killed may have left a lock behind. */
export function leftLocked(error: unknown): boolean {
  return error instanceof DrydockError && /another git process|cannot lock ref|\.lock'/i.test(error.message)
}

/**
 * Lock files of the refs that only an update of the mirror writes, or of those in other folders
 * that nobody writes meanwhile. Where somebody may, only those that are older than git ever holds
 * one.
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
