import { hash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'

/** What V8 compiled of a chunk, in bytes of the file. */
interface Place {
  /** Of the source's file: its size and time. V8 itself compares no more than the length. */
  readonly state: string
  /** Of the compiled code, which V8 runs without a look at it. */
  readonly sum: string
  readonly start: number
  readonly length: number
  /** Milliseconds that the process had run when this was made: the longer, the more functions. */
  readonly age: number
}

export interface Compiled {
  readonly state: string
  readonly code: Buffer
  readonly age: number
}

/** The compiled code of an installation's chunks, in one file of the user's own. */
export interface KeptCode {
  /** Of a chunk whose file is in this state; null without any that is whole. */
  read(chunk: string, state: string): Compiled | null
  /** Adds chunks. Those of before stay where `has` says that they are still there. */
  write(chunks: ReadonlyMap<string, Compiled>, has: (chunk: string) => boolean): void
}

/** Not crc32, for which Node would load a module that nothing else needs at the start. */
const sumOf = (bytes: Buffer) => hash('sha256', bytes)
const sumBytes = 64
/** V8 copies what does not begin at the size of a pointer. */
const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8
const sizeOfHead = 8 + sumBytes

export function openKeptCode(path: string): KeptCode {
  const places = readPlaces(path)

  function codeAt({ sum, start, length }: Place): Buffer | null {
    const code = readBytes(path, start, length)
    return code !== null && sumOf(code) === sum ? code : null
  }

  return {
    read(chunk, state) {
      const place = places.get(chunk)
      if (place?.state !== state) return null
      const code = codeAt(place)
      return code && { state, code, age: place.age }
    },
    write(chunks, has) {
      const parts: Buffer[] = []
      const listed: [string, Place][] = []
      let start = 0
      const add = (chunk: string, { state, code, age }: Compiled) => {
        listed.push([chunk, { state, sum: sumOf(code), start, length: code.length, age }])
        parts.push(code, Buffer.alloc(aligned(code.length) - code.length))
        start += aligned(code.length)
      }
      for (const [chunk, compiled] of chunks) add(chunk, compiled)
      for (const [chunk, place] of places) {
        const code = chunks.has(chunk) || !has(chunk) ? null : codeAt(place)
        if (code) add(chunk, { ...place, code })
      }
      replace(path, [headOf(listed), ...parts])
    },
  }
}

/**
 * The length of the list, its checksum, and the list itself as JSON. The code follows, at places
 * that are counted from the end of the list.
 */
function headOf(listed: readonly (readonly [string, Place])[]): Buffer {
  const list = Buffer.from(JSON.stringify(listed))
  const head = Buffer.alloc(aligned(sizeOfHead + list.length))
  head.writeUInt32LE(list.length, 0)
  head.write(sumOf(list), 8)
  list.copy(head, sizeOfHead)
  return head
}

/** By chunk; none where the file is missing or broken. */
function readPlaces(path: string): ReadonlyMap<string, Place> {
  const head = readBytes(path, 0, sizeOfHead)
  const length = head?.readUInt32LE(0) ?? 0
  const list = length > 0 && length < 1_048_576 ? readBytes(path, sizeOfHead, length) : null
  if (head === null || list === null || sumOf(list) !== head.toString('latin1', 8)) return new Map()
  const first = aligned(sizeOfHead + length)
  const listed: readonly [string, Place][] = JSON.parse(list.toString())
  return new Map(listed.map(([chunk, place]) => [chunk, { ...place, start: first + place.start }]))
}

/** Null when the file does not have them. */
function readBytes(path: string, start: number, length: number): Buffer | null {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const bytes = Buffer.allocUnsafeSlow(length)
    return readSync(file, bytes, 0, length, start) === length ? bytes : null
  } catch {
    return null
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Whole or not at all, also where two processes write at once or the power is cut. */
function replace(path: string, parts: readonly Buffer[]): void {
  const made = `${path}.${process.pid}`
  const file = openSync(made, 'wx', 0o600)
  try {
    try {
      for (const part of parts) if (writeSync(file, part) < part.length) throw new Error('the disk is full')
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(made, path)
  } catch (error) {
    rmSync(made)
    throw error
  }
}
