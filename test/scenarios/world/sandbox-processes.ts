import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/**
 * Processes of sandboxes that mount something below this folder, whose name is unique; with `at`,
 * only those that mount something there. A mount is identified by its path within its file system,
 * so that the start of the path is missing for a folder in memory.
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
