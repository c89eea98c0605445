import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { uptime } from 'node:os'
import { unlessMissing } from './unless-missing.ts'

/**
 * A file, folder or link that was written since the machine started; null for an older one, and
 * where there is none. Nobody waits for the disk when a clone or a checkout is made: one from
 * before the start may lack what never got there.
 */
export async function sinceStart(path: string): Promise<Stats | null> {
  const found = await unlessMissing(lstat(path))
  const started = Date.now() - uptime() * 1_000
  return found === null || found.mtimeMs < started ? null : found
}
