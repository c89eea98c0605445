import { mkdir, opendir, readdir, rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { systemPath } from '../../processes/host-path.ts'
import { mustRun } from '../../processes/run-program.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import type { Places } from './places.ts'
import { removeFolder } from './remove-folder.ts'

/**
 * The caches of tools, such as compilers', that verifications start from. Each that is kept is a
 * folder of its own with the next number and is never changed: others may be reading from the one
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
 * Makes the folder the current one, unless it is empty. The one before stays for those who read
 * from it; older ones go.
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
