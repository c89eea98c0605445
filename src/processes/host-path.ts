import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, relative } from 'node:path'

/** Folders of the system's own programs, which no project and no agent can write to. */
export const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/run/current-system/sw/bin'].join(delimiter)

export interface HostPath {
  /** Never empty: an empty PATH would mean the current folder to some programs. */
  readonly path: string
  /** Entries that were left out, as they were written; an empty one as `""`. */
  readonly dropped: readonly string[]
}

/**
 * A PATH that leads to no folder that an agent can write to. Relative and empty entries mean the
 * current folder, which may be a workspace; `writable` are folders that agents write below.
 */
export function hostPath(path: string, writable: readonly string[] = []): HostPath {
  const entries = path === '' ? [] : path.split(delimiter)
  const folders = [...writable, ...writable.map(realPath)]
  const leadsThere = (entry: string) => folders.some((folder) => isWithin(entry, folder))
  // By either of its names, since an entry or the folder may be a link.
  const isFree = (entry: string) => folders.length === 0 || ![entry, realPath(entry)].some(leadsThere)
  const isKept = (entry: string) => isAbsolute(entry) && isFree(entry)
  const kept = new Set(entries.filter(isKept))
  return {
    path: kept.size === 0 ? systemPath : entries.filter((entry) => kept.has(entry)).join(delimiter),
    dropped: entries.filter((entry) => !kept.has(entry)).map((entry) => entry || '""'),
  }
}

/** The path itself where nothing is. */
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
