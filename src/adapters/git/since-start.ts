import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { uptime } from 'node:os'
import { unlessMissing } from './unless-missing.ts'

/**
 * The stats of a file, folder or link that was written since the machine started; null for an older
 * or missing one. Clones and checkouts are not flushed to disk, so one from before the start may be
 * incomplete.
 */
export async function sinceStart(path: string): Promise<Stats | null> {
  const found = await unlessMissing(lstat(path))
  const started = Date.now() - uptime() * 1_000
  return found === null || found.mtimeMs < started ? null : found
}
