import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunnerReplies } from '../../../ports/sandbox.ts'
import { entryInside, openInside, openOwn, rootFolder, writeTarget } from './paths.ts'
import type { Request } from './protocol.ts'
import { Refusal, refusalOf } from './refusal.ts'

export function readFile(root: string, request: Request<'read'>): RunnerReplies['read'] {
  const { content, path } = contentOf(root, request)
  return { base64: content.toString('base64'), size: content.length, sha256: sha256(content), path }
}

/** The content of a file, and the path below the root at which it was opened. */
export function contentOf(
  root: string,
  request: Omit<Request<'read'>, 'op'>,
): { readonly content: Buffer; readonly path: string } {
  const open = request.root === undefined ? openInside : openOwn
  const { fd, stats, path } = open(root, request.path)
  try {
    const tooLarge = () =>
      new Refusal('too_large', `${path} has ${stats.size} bytes; at most ${request.maxBytes} are read`)
    if (stats.size > request.maxBytes) throw tooLarge()
    const bytes = Buffer.allocUnsafe(stats.size + 1)
    let size = 0
    for (let count = -1; count !== 0; size += count) {
      count = readSync(fd, bytes, size, bytes.length - size, null)
      if (size + count > stats.size) throw new Refusal('changed', `${path} grew while it was read`)
    }
    return { content: bytes.subarray(0, size), path }
  } finally {
    closeSync(fd)
  }
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * SHA-256 of a file; null if it does not exist. If the request names a root, the file is opened
 * like a read with that root.
 */
export function hashFile(root: string, request: Request<'hash'>, signal: AbortSignal): Promise<string | null> {
  if (request.root === undefined) return hashNow(root, request.path, signal)
  return hashOpened(openedOrNull(openOwn, rootFolder(request.root), request.path), signal)
}

/** SHA-256 of the current file at `path`; null if it does not exist. */
export async function hashNow(root: string, path: string, signal: AbortSignal): Promise<string | null> {
  return hashOpened(openedOrNull(openInside, root, path), signal)
}

type OpenFile = ReturnType<typeof openInside>

async function hashOpened(opened: OpenFile | null, signal: AbortSignal): Promise<string | null> {
  if (opened === null) return null
  try {
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(1_048_576)
    for (let count = -1; count !== 0; ) {
      count = readSync(opened.fd, chunk)
      hash.update(chunk.subarray(0, count))
      // Yields to the event loop, so that the hash of a huge file can be aborted.
      if (count === chunk.length) await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
    }
    return hash.digest('hex')
  } finally {
    closeSync(opened.fd)
  }
}

function openedOrNull(open: typeof openInside, root: string, path: string): OpenFile | null {
  try {
    return open(root, path)
  } catch (error) {
    if (refusalOf(error).code === 'not_found') return null
    throw error
  }
}

export async function writeFile(
  root: string,
  request: Request<'write'>,
  signal: AbortSignal,
): Promise<RunnerReplies['write']> {
  // Checked first, so that a refused write creates no folders.
  await expectBefore(root, request, signal)
  const content = Buffer.from(request.base64, 'base64')
  const { temporary, target } = draftFile(root, request.path, { content })
  place(temporary, target)
  return { sha256: sha256(content) }
}

/** Refuses a file whose content differs from the one that the caller expects. */
export async function expectBefore(
  root: string,
  { path, before }: { readonly path: string; readonly before: string | null },
  signal: AbortSignal,
): Promise<void> {
  const now = await hashNow(root, path, signal)
  if (before === null && now !== null) throw new Refusal('exists', `${path} exists already`)
  if (now !== before) throw new Refusal('changed', `${path} is not as it was when it was read`)
}

interface Draft {
  readonly content: Uint8Array
  /** The mode of a new file; an existing file keeps its own. */
  readonly mode?: number | undefined
}

/** Writes the new content into a file beside the target, and creates missing folders. */
export function draftFile(root: string, path: string, { content, mode: ofNew }: Draft) {
  const target = writeTarget(root, path)
  const old = lstatSync(target, { throwIfNoEntry: false })
  if (old !== undefined && !old.isFile()) throw new Refusal('not_a_file', `${path} is not a regular file`)
  const mode = old?.mode ?? ofNew
  const temporary = join(dirname(target), `.drydock-${randomBytes(6).toString('hex')}`)
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666)
  try {
    try {
      for (let written = 0; written < content.length; ) written += writeSync(fd, content, written)
      if (mode !== undefined) fchmodSync(fd, mode & 0o7777)
    } finally {
      closeSync(fd)
    }
    return { temporary, target }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Renames a draft to its target. */
export function place(temporary: string, target: string): void {
  try {
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

export function moveFile(root: string, request: Request<'move'>): RunnerReplies['move'] {
  const from = fileOrLink(root, request.from)
  const to = entryInside(root, request.to, { makeFolders: true })
  if (lstatSync(to, { throwIfNoEntry: false })) throw new Refusal('exists', `${request.to} exists already`)
  renameSync(from, to)
  return {}
}

export function deleteFile(root: string, request: Request<'delete'>): RunnerReplies['delete'] {
  unlinkSync(fileOrLink(root, request.path))
  return {}
}

/** The file or link at a path, for deletion or a move. */
export function fileOrLink(root: string, path: string): string {
  const entry = entryInside(root, path, { makeFolders: false })
  const stats = lstatSync(entry)
  if (!stats.isFile() && !stats.isSymbolicLink()) throw new Refusal('not_a_file', `${path} is not a file`)
  return entry
}
