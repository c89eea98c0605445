import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DrydockError } from '../../domain/drydock-error.ts'
import { formatBytes } from '../../domain/figures-text.ts'
import { limits } from '../../domain/limits.ts'
import { usage } from '../usage.ts'

/** A text that a command needs, and what to say where it is none. */
export interface Sought {
  readonly what: 'spec' | 'task' | 'text' | 'token'
  /** How to name one. */
  readonly name: string
  /** For an empty one. */
  readonly say: string
  /** For one that is too large. */
  readonly shorten: string
}

/** Throws DrydockError `bad_usage`. */
export async function readTextFile(file: string, sought: Sought): Promise<string> {
  return toText(await bytesOf(createReadStream(file), sought, file), sought, file)
}

/**
 * What is no name of a file, as a text that is too long for one, is not there. DrydockError
 * `bad_usage` for a folder.
 */
export async function isFile(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => null)
  if (found?.isDirectory()) throw usage(`${name} is a folder.`, 'Name the file with the text in it.')
  return found !== null
}

/** Whether a file is one that can be read again and again, as no pipe can. */
export async function isRegular(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null))?.isFile() === true
}

/** Reads no more than a text may have, whatever comes. */
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

/** DrydockError `bad_usage`. */
export function toText(bytes: Buffer, sought: Sought, source: string): string {
  if (bytes.length > limits.specBytes) throw tooLarge(sought, source)
  const text = bytes.includes(0) ? null : decode(bytes)
  const named = `The ${sought.what} (${source})`
  if (text === null) throw usage(`${named} is not UTF-8 text.`, 'Write it as Markdown or plain text.')
  if (text.trim() === '') throw usage(`${named} is empty.`, sought.say)
  return text
}

/** Without a byte order mark; null when it is not UTF-8. */
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
