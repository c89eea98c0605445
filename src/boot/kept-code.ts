import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'

/** What V8 compiled of a chunk, in bytes of the file. */
interface Place {
  /** Of the source's file: its size and time. V8 itself compares no more than the length. */
  readonly state: string
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

/**
 * The compiled code of an installation's chunks, in one file of the user's own. V8 runs it without
 * a look at it. So the file gets its name when all of it is on the disk, and one that has not the
 * length that its head says counts as none.
 */
export interface KeptCode {
  /** Of a chunk whose file is in this state; null without any. */
  read(chunk: string, state: string): Compiled | null
  /** Adds chunks. Those of before stay where `has` says that they are still there. */
  write(chunks: ReadonlyMap<string, Compiled>, has: (chunk: string) => boolean): void
}

/** V8 copies what does not begin at the size of a pointer. */
const aligned = (bytes: number) => Math.ceil(bytes / 8) * 8
/** The lengths of the list and of all that follows it. */
const sizeOfHead = 16

export function openKeptCode(path: string): KeptCode {
  // Stays open: another process may put a new one in its place.
  const file = openFile(path)
  const places = file === null ? new Map<string, Place>() : readPlaces(file)
  const codeAt = (place: Place) => (file === null ? null : readBytes(file, place))
  return {
    read(chunk, state) {
      const place = places.get(chunk)
      const code = place?.state === state ? codeAt(place) : null
      return place && code ? { state, code, age: place.age } : null
    },
    write(chunks, has) {
      const parts: Buffer[] = []
      const listed: [string, Place][] = []
      let start = 0
      const add = (chunk: string, { state, code, age }: Compiled) => {
        const padded = Buffer.alloc(aligned(code.length))
        code.copy(padded)
        parts.push(padded)
        listed.push([chunk, { state, start, length: code.length, age }])
        start += padded.length
      }
      for (const [chunk, compiled] of chunks) add(chunk, compiled)
      for (const [chunk, place] of places) {
        const code = chunks.has(chunk) || !has(chunk) ? null : codeAt(place)
        if (code) add(chunk, { ...place, code })
      }
      replace(path, [headOf(listed, start), ...parts])
    },
  }
}

/** The list is JSON. The code follows, at places that are counted from the end of the list. */
function headOf(listed: readonly (readonly [string, Place])[], rest: number): Buffer {
  const list = Buffer.from(JSON.stringify(listed))
  const head = Buffer.alloc(aligned(sizeOfHead + list.length))
  head.writeDoubleLE(list.length, 0)
  head.writeDoubleLE(rest, 8)
  list.copy(head, sizeOfHead)
  return head
}

/** By chunk; none where the file is not whole. */
function readPlaces(file: number): ReadonlyMap<string, Place> {
  const head = readBytes(file, { start: 0, length: sizeOfHead })
  if (head === null) return new Map()
  const [length, rest] = [head.readDoubleLE(0), head.readDoubleLE(8)]
  const first = aligned(sizeOfHead + length)
  const list = fstatSync(file).size === first + rest ? readBytes(file, { start: sizeOfHead, length }) : null
  if (list === null) return new Map()
  const listed: readonly [string, Place][] = JSON.parse(list.toString())
  return new Map(listed.map(([chunk, place]) => [chunk, { ...place, start: first + place.start }]))
}

/** Null without one. */
function openFile(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

/** Null when the file does not have them. */
function readBytes(file: number, { start, length }: Pick<Place, 'start' | 'length'>): Buffer | null {
  const bytes = Buffer.allocUnsafeSlow(length)
  return readSync(file, bytes, 0, length, start) === length ? bytes : null
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
