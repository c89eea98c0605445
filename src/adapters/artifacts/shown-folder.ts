import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readlink, rename, rm, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeFolder } from './remove-folder.ts'

interface ShownFolder {
  /** The folder that the steps see. */
  readonly seen: string
  /** Empty folders for the overlays of the repository and of the cache. */
  readonly overlay: string
  readonly cache: string
}

/**
 * Makes the folders that the steps of one run see, below `steps`, and a link at `path` to the
 * first. Their name is drawn by chance: a process in a sandbox reads in its list of mounts what
 * they are called on the host, which must not say what the run is for.
 */
export async function makeShownFolder(path: string, { steps }: { readonly steps: string }): Promise<ShownFolder> {
  const top = join(steps, randomBytes(12).toString('hex'))
  const shown = { seen: join(top, 'seen'), overlay: join(top, 'overlay'), cache: join(top, 'cache') }
  await mkdir(dirname(path), { recursive: true })
  // It is there first, so that no folder is ever without a link.
  await symlink(shown.seen, path)
  for (const folder of Object.values(shown)) await mkdir(folder, { recursive: true })
  return shown
}

/** Puts what the steps have seen in the place of the link. */
export async function settleShownFolder(path: string, { seen }: Pick<ShownFolder, 'seen'>): Promise<void> {
  await rm(path)
  await rename(seen, path)
  await removeFolder(dirname(seen))
}

/** Removes the folder of a run, wherever its steps see it. Any other link is not followed. */
export async function removeRunFolder(path: string, { steps }: { readonly steps: string }): Promise<void> {
  const found = await lstat(path).catch(() => null)
  const top = found?.isSymbolicLink() ? dirname(await readlink(path)) : null
  if (top !== null && dirname(top) === steps && /^[0-9a-f]+$/.test(basename(top))) await removeFolder(top)
  await removeFolder(path)
}

/** 2010-01-01: as old in each run, whatever was done between its making and its first step. */
const always = new Date(1_262_304_000_000)

export async function giveSameTimes(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await utimes(folder, always, always)
}
