import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { unlessMissing } from '../unless-missing.ts'

/** Whether a git that was killed may have left a lock behind. */
export function leftLocked(error: unknown): boolean {
  return error instanceof DrydockError && /another git process|cannot lock ref|\.lock'/i.test(error.message)
}

/**
 * Lock files of the refs that only an update of the mirror writes, or of those in other folders
 * that nobody writes meanwhile.
 */
export async function removeRefLocks(gitDir: string, folders: readonly string[] = ['heads', 'tags', 'user']) {
  for (const folder of folders) {
    const top = join(gitDir, 'refs', folder)
    const files = (await unlessMissing(readdir(top, { recursive: true }))) ?? []
    for (const file of files) if (file.endsWith('.lock')) await rm(join(top, file), { force: true })
  }
}
