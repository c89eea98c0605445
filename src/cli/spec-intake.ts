import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DrydockError } from '../domain/drydock-error.ts'
import { limits } from '../domain/limits.ts'
import type { Spec } from '../domain/spec.ts'
import { formatBytes } from './format-bytes.ts'
import type { Output, Terminal } from './output.ts'
import { usage } from './usage.ts'

interface From {
  readonly terminal: Pick<Terminal, 'stdin'>
  readonly output: Pick<Output, 'note'>
}

/**
 * The spec that a command line names: a file, `-` or nothing for what is piped in, or a line of text. DrydockError `bad_usage` for what is no text, too
 * large, or not there.
 */
export async function readSpec(from: From, words: readonly string[]): Promise<Spec> {
  const named = words.join(' ')
  if (words.length === 0 || named === '-') return fromInput(from, words.length === 0)
  if (await isThere(named)) return toSpec(await bytesOf(createReadStream(named), named), named)
  if (named.trim() !== '' && !/\s/.test(named)) {
    throw usage(`There is no file ${named}.`, 'Name a Markdown file, or say in a few words what to build.')
  }
  return toSpec(Buffer.from(named), 'text')
}

async function fromInput({ terminal, output }: From, unasked: boolean): Promise<Spec> {
  const stream = terminal.stdin?.()
  if (stream === undefined || (unasked && stream.isTTY)) {
    throw usage('There is no spec.', 'Name one: drydock run spec.md   or pipe it in: … | drydock run -')
  }
  if (unasked) output.note('Reading the spec from standard input.')
  return toSpec(await bytesOf(stream, 'stdin'), 'stdin')
}

/** What is no name of a file, as a text that is too long for one, is not there. */
async function isThere(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => null)
  if (found?.isDirectory()) throw usage(`${name} is a folder.`, 'Name the file in it that has the spec.')
  return found !== null
}

/** Reads no more than a spec may have, whatever comes. */
async function bytesOf(stream: AsyncIterable<unknown>, source: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk as Uint8Array)
      size += bytes.length
      if (size > limits.specBytes) throw tooLarge(source)
      chunks.push(bytes)
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(source, error)
    throw error
  }
  return Buffer.concat(chunks)
}

function toSpec(bytes: Buffer, source: string): Spec {
  if (bytes.length > limits.specBytes) throw tooLarge(source)
  const text = bytes.includes(0) ? null : decode(bytes)
  if (text === null) throw usage(`The spec (${source}) is no text in UTF-8.`, 'Write it as Markdown or plain text.')
  if (text.trim() === '') throw usage(`The spec (${source}) is empty.`, 'Say in it what to build.')
  return { text, source }
}

/** Without a byte order mark; null when it is not UTF-8. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function tooLarge(source: string): DrydockError {
  const most = formatBytes(limits.specBytes)
  return usage(`The spec (${source}) is larger than ${most}.`, 'Make it shorter, or build it in parts.')
}

function unreadable(source: string, error: Error): DrydockError {
  return usage(`${source} cannot be read: ${error.message}`, 'Make it readable, or pipe it in.')
}
