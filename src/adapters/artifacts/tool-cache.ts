import { mkdir, opendir, readdir, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { systemPath } from '../../processes/host-path.ts'
import { mustRun } from '../../processes/run-program.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import type { Places } from './places.ts'
import { removeFolder } from './remove-folder.ts'

/**
 * Caches of tools such as compilers, which verifications start from. Each kept cache is a folder
 * with the next number, and never changes afterwards, since other runs may be reading the one
 * before.
 */
export async function currentToolCache(places: Places): Promise<string | null> {
  const last = (await numbers(places)).at(-1)
  if (last === undefined) return null
  const folder = join(places.tools, `${last}`)
  const now = new Date()
  await utimes(folder, now, now)
  return folder
}

export async function copyToolCache(from: string, to: string): Promise<void> {
  await mustRun('cp', ['-a', '--reflink=auto', '--', `${from}/.`, to], { env: { PATH: systemPath } })
}

/**
 * Makes the folder the current cache, unless it is empty. The previous one stays for runs that
 * still read it; older ones are removed.
 */
export async function keepToolCache(places: Places, folder: string): Promise<void> {
  const entries = await opendir(folder)
  const first = await entries.read().finally(() => entries.close())
  if (first === null) return
  await mkdir(places.tools, { recursive: true })
  const known = await numbers(places)
  await rename(folder, join(places.tools, `${(known.at(-1) ?? 0) + 1}`))
  for (const old of known.slice(0, -1)) await removeFolder(join(places.tools, `${old}`))
}

async function numbers(places: Places): Promise<readonly number[]> {
  const names = await readdir(places.tools).catch(missingAsEmpty)
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}
