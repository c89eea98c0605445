import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { Refusal } from './refusal.ts'

/**
 * The path below the root, `''` for the root itself. Refuses paths outside the root or in a `.git`.
 */
export function inside(root: string, absolute: string): string {
  const path = relative(root, absolute)
  if (path === '..' || path.startsWith('../') || isAbsolute(path)) {
    throw new Refusal('outside', 'The path leads out of the workspace')
  }
  if (path.split('/').some((part) => part.toLowerCase() === '.git')) {
    throw new Refusal('outside', '.git is not part of the change and cannot be reached')
  }
  return path
}

/**
 * Opens a file for reading, without waiting for a pipe's writer. The opened file must be inside the
 * root, whatever its path looked like.
 */
export function openInside(
  root: string,
  path: string,
): { readonly fd: number; readonly stats: Stats; readonly path: string } {
  const wanted = resolve(root, path)
  inside(root, wanted)
  const fd = openSync(wanted, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  try {
    const opened = inside(root, readlinkSync(`/proc/self/fd/${fd}`))
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Refusal('not_a_file', `${path} is not a regular file`)
    return { fd, stats, path: opened }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/**
 * Opens like `openInside`, but refuses files with a second hard link, which may belong to another
 * workspace.
 */
export function openOwn(root: string, path: string): ReturnType<typeof openInside> {
  const opened = openInside(root, path)
  if (opened.stats.nlink <= 1) return opened
  closeSync(opened.fd)
  throw new Refusal('outside', `${path} is a hard link: it has another name, which may lie in another workspace`)
}

/**
 * The names in a folder below the root, `''` for the root itself. They are read through a
 * descriptor of the folder at exactly this path; none if a link is there by now, or nothing.
 */
export function namesIn(root: string, path: string): readonly string[] {
  const wanted = resolve(root, path)
  const fd = openUnlessGone(wanted, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (fd === null) return []
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === wanted ? readdirSync(`/proc/self/fd/${fd}`) : []
  } finally {
    closeSync(fd)
  }
}

function openUnlessGone(path: string, flags: number): number | null {
  try {
    return openSync(path, flags)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(`${(error as NodeJS.ErrnoException).code}`)) return null
    throw error
  }
}

/** The folder of that name; refuses a link. */
export function rootFolder(path: string): string {
  if (!isAbsolute(path) || realpathSync(path) !== path) throw new Refusal('outside', 'A link leads to this workspace')
  if (!lstatSync(path).isDirectory()) throw new Refusal('not_a_file', `${path} is not a folder`)
  return path
}

/**
 * The entry at `path`, with links to its folder resolved, but not the entry's own link.
 * `makeFolders` creates missing folders.
 */
export function entryInside(root: string, path: string, { makeFolders }: { makeFolders: boolean }): string {
  const wanted = resolve(root, path)
  if (inside(root, wanted) === '') throw new Refusal('not_a_file', 'This is the workspace itself')
  const folder = folderInside(root, dirname(wanted), { make: makeFolders })
  const entry = join(folder, basename(wanted))
  inside(root, entry)
  return entry
}

function folderInside(root: string, wanted: string, { make }: { make: boolean }): string {
  if (make && wanted !== root && lstatSync(wanted, { throwIfNoEntry: false }) === undefined) {
    const parent = folderInside(root, dirname(wanted), { make })
    const made = join(parent, basename(wanted))
    mkdirSync(made)
    return made
  }
  const real = realpathSync(wanted)
  inside(root, real)
  if (!lstatSync(real).isDirectory()) throw new Refusal('not_a_file', `${relative(root, wanted)} is not a folder`)
  return real
}

/** The real path of a folder inside the root. */
export function workFolder(root: string, path: string): string {
  const wanted = resolve(root, path)
  inside(root, wanted)
  return folderInside(root, wanted, { make: false })
}

/**
 * The file that a write to `path` changes: links are followed as long as they stay inside the root.
 */
export function writeTarget(root: string, path: string): string {
  let entry = entryInside(root, path, { makeFolders: true })
  for (let followed = 0; followed < 40; followed += 1) {
    if (!lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink()) return entry
    entry = entryInside(root, resolve(dirname(entry), readlinkSync(entry)), { makeFolders: false })
  }
  throw new Refusal('not_found', `${path} is a link that leads in a circle`)
}
