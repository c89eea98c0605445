import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, relative } from 'node:path'

/** Folders of the system's own programs, which no project and no agent can write to. */
export const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/run/current-system/sw/bin'].join(delimiter)

export interface HostPath {
  /** Never empty, since some programs take an empty PATH for the current folder. */
  readonly path: string
  /** The dropped entries as written; an empty one as `""`. */
  readonly dropped: readonly string[]
}

/**
 * PATH without the folders that an agent can write to. Relative and empty entries mean the current
 * folder, which may be a workspace; agents write below the folders in `writable`.
 */
export function hostPath(path: string, writable: readonly string[] = []): HostPath {
  const entries = path === '' ? [] : path.split(delimiter)
  const folders = [...writable, ...writable.map(realPath)]
  const leadsThere = (entry: string) => folders.some((folder) => isWithin(entry, folder))
  // Compares both names, since the entry or the folder may be a link.
  const isFree = (entry: string) => folders.length === 0 || ![entry, realPath(entry)].some(leadsThere)
  const isKept = (entry: string) => isAbsolute(entry) && isFree(entry)
  const kept = new Set(entries.filter(isKept))
  return {
    path: kept.size === 0 ? systemPath : entries.filter((entry) => kept.has(entry)).join(delimiter),
    dropped: entries.filter((entry) => !kept.has(entry)).map((entry) => entry || '""'),
  }
}

/** Returns the path itself if nothing exists there. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}
