import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DrydockError } from '../../domain/drydock-error.ts'
import { formatBytes } from '../../domain/figures-text.ts'
import { limits } from '../../domain/limits.ts'
import { usage } from '../usage.ts'

/** The text that a command needs, with the words for its errors. */
export interface Sought {
  readonly what: 'spec' | 'task' | 'text' | 'token'
  /** The advice on naming one. */
  readonly name: string
  /** The advice for an empty text. */
  readonly say: string
  /** The advice for too large a text. */
  readonly shorten: string
}

/** Reads a text file. Throws DrydockError `bad_usage`. */
export async function readTextFile(file: string, sought: Sought): Promise<string> {
  return toText(await bytesOf(createReadStream(file), sought, file), sought, file)
}

/**
 * True if a file of this name exists. Text that cannot be a file name, too long for instance,
 * counts as no file. Throws DrydockError `bad_usage` for a folder.
 */
export async function isFile(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => null)
  if (found?.isDirectory()) throw usage(`${name} is a folder.`, 'Name the file with the text in it.')
  return found !== null
}

/** True for a regular file, which can be read again and again, unlike a pipe. */
export async function isRegular(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null))?.isFile() === true
}

/** Reads at most the size that a text may have, even from an endless stream. */
export async function bytesOf(stream: AsyncIterable<unknown>, sought: Sought, source: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array)
      size += bytes.length
      if (size > limits.specBytes) throw tooLarge(sought, source)
      chunks.push(bytes)
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(source, error)
    throw error
  }
  return Buffer.concat(chunks)
}

/** Decodes and checks a text. Throws DrydockError `bad_usage`. */
export function toText(bytes: Buffer, sought: Sought, source: string): string {
  if (bytes.length > limits.specBytes) throw tooLarge(sought, source)
  const text = bytes.includes(0) ? null : decode(bytes)
  const named = `The ${sought.what} (${source})`
  if (text === null) throw usage(`${named} is not UTF-8 text.`, 'Write it as Markdown or plain text.')
  if (text.trim() === '') throw usage(`${named} is empty.`, sought.say)
  return text
}

/** Decodes UTF-8 without a byte order mark; null for anything else. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function tooLarge({ what, shorten }: Sought, source: string): DrydockError {
  return usage(`The ${what} (${source}) is larger than ${formatBytes(limits.specBytes)}.`, shorten)
}

function unreadable(source: string, error: Error): DrydockError {
  return usage(`${source} cannot be read: ${error.message}`, 'Make it readable, or pipe it in.')
}
