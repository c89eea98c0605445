import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Processes of sandboxes that show something below this folder, whose name no other has; with `at`,
 * of those that show something there. A mount is told by its path in its own file system, so that
 * of a folder in memory lacks its beginning.
 */
export function sandboxProcesses(folder: string, at = ''): readonly string[] {
  const name = `/${basename(folder)}/`
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return false
    try {
      const mounts = readFileSync(`/proc/${entry}/mountinfo`, 'utf8')
      return mounts.includes(name) && mounts.includes(at)
    } catch {
      return false
    }
  })
}
