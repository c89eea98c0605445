import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** What V8 compiled of a chunk, in bytes of the file. */
interface Place {
  /** Of the source, and of the compiled code: what was cut or mixed up is not taken. */
  readonly sums: readonly [source: number, code: number]
  readonly start: number
  readonly length: number
  /** Milliseconds that the process had run when this was made: the longer, the more functions. */
  readonly age: number
}

export interface Compiled {
  readonly source: string
  readonly code: Buffer
  readonly age: number
}

/** The compiled code of an installation's chunks, in one file of the user's own. */
export interface KeptCode {
  /** Of a chunk with this very source; null without any that is whole. */
  read(chunk: string, source: string): Omit<Compiled, 'source'> | null
  /** Adds chunks. Those of before stay where `has` says that they are still there. */
  write(chunks: ReadonlyMap<string, Compiled>, has: (chunk: string) => boolean): void
}

/** V8 copies what does not begin at the size of a pointer. */
const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8
const sizeOfHead = 16

export function openKeptCode(path: string): KeptCode {
  const places = readPlaces(path)

  function codeAt({ sums, start, length }: Place): Buffer | null {
    const code = readBytes(path, start, length)
    return code !== null && crc32(code) === sums[1] ? code : null
  }

  return {
    read(chunk, source) {
      const place = places.get(chunk)
      if (place === undefined || crc32(source) !== place.sums[0]) return null
      const code = codeAt(place)
      return code && { code, age: place.age }
    },
    write(chunks, has) {
      const parts: Buffer[] = []
      const listed: [string, Place][] = []
      let start = 0
      const add = (chunk: string, code: Buffer, { sums, age }: Pick<Place, 'sums' | 'age'>) => {
        listed.push([chunk, { sums, start, length: code.length, age }])
        parts.push(code, Buffer.alloc(aligned(code.length) - code.length))
        start += aligned(code.length)
      }
      for (const [chunk, { source, code, age }] of chunks) add(chunk, code, { sums: [crc32(source), crc32(code)], age })
      for (const [chunk, place] of places) {
        const code = chunks.has(chunk) || !has(chunk) ? null : codeAt(place)
        if (code) add(chunk, code, place)
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
  head.writeUInt32LE(crc32(list), 4)
  list.copy(head, sizeOfHead)
  return head
}

/** By chunk; none where the file is missing or broken. */
function readPlaces(path: string): ReadonlyMap<string, Place> {
  const head = readBytes(path, 0, sizeOfHead)
  const length = head?.readUInt32LE(0) ?? 0
  const list = length > 0 && length < 1_048_576 ? readBytes(path, sizeOfHead, length) : null
  if (head === null || list === null || crc32(list) !== head.readUInt32LE(4)) return new Map()
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

/** Whole or not at all, also where two processes write at once. */
function replace(path: string, parts: readonly Buffer[]): void {
  const made = `${path}.${process.pid}`
  try {
    const file = openSync(made, 'wx', 0o600)
    try {
      for (const part of parts) if (writeSync(file, part) < part.length) throw new Error('the disk is full')
    } finally {
      closeSync(file)
    }
    renameSync(made, path)
  } catch (error) {
    rmSync(made, { force: true })
    throw error
  }
}
