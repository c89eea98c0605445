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
 * first. Their names are random: a process in a sandbox can read the host's paths in its list of
 * mounts, and these must not say what the run is for.
 */
export async function makeShownFolder(path: string, { steps }: { readonly steps: string }): Promise<ShownFolder> {
  const top = join(steps, randomBytes(12).toString('hex'))
  const shown = { seen: join(top, 'seen'), overlay: join(top, 'overlay'), cache: join(top, 'cache') }
  await mkdir(dirname(path), { recursive: true })
  // The link is made first, so that no folder ever exists without one.
  await symlink(shown.seen, path)
  for (const folder of Object.values(shown)) await mkdir(folder, { recursive: true })
  return shown
}

/** Replaces the link by the folder that the steps have seen. */
export async function settleShownFolder(path: string, { seen }: Pick<ShownFolder, 'seen'>): Promise<void> {
  await rm(path)
  await rename(seen, path)
  await removeFolder(dirname(seen))
}

/**
 * Removes the folder of a run together with the folder that its steps see. Any other link is not
 * followed.
 */
export async function removeRunFolder(path: string, { steps }: { readonly steps: string }): Promise<void> {
  const found = await lstat(path).catch(() => null)
  const top = found?.isSymbolicLink() ? dirname(await readlink(path)) : null
  if (top !== null && dirname(top) === steps && /^[0-9a-f]+$/.test(basename(top))) await removeFolder(top)
  await removeFolder(path)
}

/** 2010-01-01: a fixed time, so that folders look equally old in each run. */
const always = new Date(1_262_304_000_000)

export async function giveSameTimes(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await utimes(folder, always, always)
}
