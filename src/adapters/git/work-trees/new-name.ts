import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { unlessMissing } from '../unless-missing.ts'

/**
 * Renames the folder behind `link` to a new random name, and returns its path; makes the folder if
 * there is none. A process in a sandbox can read the folder's host path in its list of mounts,
 * which must reveal neither its owner nor that it is the same folder as before.
 */
export async function openUnderNewName(link: string): Promise<string> {
  const next = join(dirname(link), `.${basename(link)}.next`)
  const old = await lastFolder(link, next)
  const folder = join(dirname(link), `.${randomBytes(12).toString('hex')}`)
  await rm(next, { force: true })
  // The link is made before the folder moves, so that a folder always has a link.
  await symlink(basename(folder), next)
  if (old === null) await mkdir(folder)
  else await rename(old, folder)
  await rename(next, link)
  return folder
}

/** Finds the folder, since a killed process may have moved it but not yet the link. */
async function lastFolder(link: string, next: string): Promise<string | null> {
  const [there, coming] = await Promise.all([link, next].map((each) => unlessMissing(lstat(each))))
  const behind = async (each: string) => {
    const folder = join(dirname(each), await readlink(each))
    return (await unlessMissing(lstat(folder))) === null ? null : folder
  }
  const moved = coming?.isSymbolicLink() ? await behind(next) : null
  if (moved !== null) return moved
  if (there == null) return null
  if (there.isSymbolicLink()) return behind(link)
  // An older version made a folder in place of the link.
  if (there.isDirectory()) return link
  throw new Error(`${link} is in the way: it is neither a folder nor a link to one`)
}
