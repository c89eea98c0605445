import { closeSync, constants, mkdirSync, openSync, readlinkSync, symlinkSync, unlinkSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { inside } from './paths.ts'
import type { Request } from './protocol.ts'
import { Refusal } from './refusal.ts'

/**
 * Puts a file and a link to it into a folder. Both are written through a descriptor of the folder,
 * so that no link redirects them, whatever changes in the meantime.
 */
export function placeFile(root: string, request: Request<'place'>): RunnerReplies['place'] {
  const { folder, name, link, base64 } = request
  for (const each of [folder, name, link]) plainName(each)
  for (const each of [name, link]) inside(root, resolve(root, folder, each))
  const fd = openFolder(root, folder)
  try {
    const [file, latest] = [`/proc/self/fd/${fd}/${name}`, `/proc/self/fd/${fd}/${link}`]
    remove(file)
    writeNew(file, Buffer.from(base64, 'base64'))
    remove(latest)
    symlinkSync(name, latest)
    return {}
  } finally {
    closeSync(fd)
  }
}

function plainName(name: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('/'))
    throw new Refusal('outside', `${name} is not a plain name`)
}

/** A descriptor of the folder at exactly this path, which is created if it is missing. */
function openFolder(root: string, name: string): number {
  const path = resolve(root, name)
  inside(root, path)
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    const isOther = ['ENOTDIR', 'ELOOP'].includes(`${(error as NodeJS.ErrnoException).code}`)
    throw isOther ? new Refusal('not_a_file', `${name} is not a folder`) : error
  }
  if (readlinkSync(`/proc/self/fd/${fd}`) === path) return fd
  closeSync(fd)
  throw new Refusal('outside', `${name} is not where it was`)
}

/** Removes the entry itself, and never a link's target. A folder stays. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EISDIR' || code === 'EPERM') throw new Refusal('not_a_file', 'There is a folder at that path')
    if (code !== 'ENOENT') throw error
  }
}

function writeNew(path: string, content: Uint8Array): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const fd = openSync(path, flags, 0o666)
  try {
    for (let written = 0; written < content.length; ) written += writeSync(fd, content, written)
  } finally {
    closeSync(fd)
  }
}
