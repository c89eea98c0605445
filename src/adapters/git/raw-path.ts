import { lstat, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unlessMissing } from './unless-missing.ts'

/**
 * A relative path with one byte per character: the output of git with -z, decoded as latin1, so
 * that names that are not UTF-8 survive.
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
 * Says what exists at a path, without following links; `blocked` if a parent is neither a folder
 * nor one of `judged`.
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

/** True if the folder holds no other files. */
export async function onlyHolds(top: string, folder: RawPath, files: ReadonlySet<RawPath>): Promise<boolean> {
  for (const entry of await readdir(userPath(top, folder), { withFileTypes: true, encoding: 'buffer' })) {
    const path = `${folder}/${entry.name.toString('latin1')}`
    const held = entry.isDirectory() ? await onlyHolds(top, path, files) : files.has(path)
    if (!held) return false
  }
  return true
}

/** The folders above a path, outermost first. */
function parentsOf(path: RawPath): readonly RawPath[] {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}
