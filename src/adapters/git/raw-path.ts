import { lstat, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unlessMissing } from './unless-missing.ts'

/**
 * A raw path is relative, with one byte a character: what git writes with -z, decoded as latin1, so
 * that a name that is not UTF-8 survives.
 */
export type RawPath = string

export function shownPath(path: RawPath): string {
  return Buffer.from(path, 'latin1').toString('utf8')
}

export function userPath(top: string, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])
}

export function rawPaths(stdout: Buffer): readonly RawPath[] {
  return stdout.toString('latin1').split('\0').slice(0, -1)
}

export function terminated(paths: readonly RawPath[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

/**
 * What a path is without following any link; `blocked` when it is below something, not one of
 * `judged`, that is not a folder.
 */
export async function whatIsThere(
  top: string,
  path: RawPath,
  judged: ReadonlySet<RawPath>,
): Promise<'nothing' | 'file' | 'folder' | 'blocked'> {
  for (const parent of parentsOf(path)) {
    const found = await unlessMissing(lstat(userPath(top, parent)))
    if (found === null) return 'nothing'
    if (!found.isDirectory()) return judged.has(parent) ? 'nothing' : 'blocked'
  }
  const found = await unlessMissing(lstat(userPath(top, path)))
  if (found === null) return 'nothing'
  if (found.isDirectory()) return 'folder'
  return found.isFile() || found.isSymbolicLink() ? 'file' : 'blocked'
}

/** Whether the folder has no file but those. */
export async function onlyHolds(top: string, folder: RawPath, files: ReadonlySet<RawPath>): Promise<boolean> {
  for (const entry of await readdir(userPath(top, folder), { withFileTypes: true, encoding: 'buffer' })) {
    const path = `${folder}/${entry.name.toString('latin1')}`
    const held = entry.isDirectory() ? await onlyHolds(top, path, files) : files.has(path)
    if (!held) return false
  }
  return true
}

/** Outermost first. */
function parentsOf(path: RawPath): readonly RawPath[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}
