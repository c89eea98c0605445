import { accessSync, constants, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBytes } from './bytes.ts'

/** The compiled code of a chunk. */
export interface Compiled {
  readonly code: Buffer
  /**
   * Milliseconds of CPU time that the process had used: more time means more compiled functions.
   */
  readonly age: number
}

/** The compiled code of a build's chunks: one file each, in a folder of the user. */
export interface KeptCode {
  /** Null without a complete file. */
  read(chunk: string): Compiled | null
  /** Throws errors of the folder. */
  write(chunk: string, compiled: Compiled): void
  /** Throws unless files can be written. */
  check(): void
  /** Removes files that were not written for a week: those of other builds, and incomplete ones. */
  tidy(): void
}

const prefix = 'drydock-'
const weekMs = 7 * 86_400_000
/** The checksum, four unused bytes, and the age. */
const headBytes = 16

/** `build` identifies the sources of all chunks, since V8 itself only compares their lengths. */
export function openKeptCode(folder: string, build: string): KeptCode {
  const path = (chunk: string) => join(folder, `${prefix}${build}-${chunk}`)
  return {
    read(chunk) {
      const bytes = readOwn(path(chunk))
      if (bytes === null || bytes.length < headBytes) return null
      const code = bytes.subarray(headBytes)
      return sumOf(code) === bytes.readInt32LE(0) ? { code, age: bytes.readDoubleLE(8) } : null
    },
    write(chunk, { code, age }) {
      const head = Buffer.alloc(headBytes)
      head.writeInt32LE(sumOf(code), 0)
      head.writeDoubleLE(age, 8)
      const made = `${path(chunk)}.${process.pid}-${Date.now()}`
      try {
        writeFileSync(made, Buffer.concat([head, code]), { flag: 'wx', mode: 0o600 })
        renameSync(made, path(chunk))
      } catch (error) {
        rmSync(made, { force: true })
        throw error
      }
    },
    check: () => accessSync(folder, constants.W_OK),
    tidy() {
      for (const name of readdirSync(folder)) {
        const isOwn = name.startsWith(`${prefix}${build}-`) && name.endsWith('.cjs')
        if (!name.startsWith(prefix) || isOwn) continue
        const file = join(folder, name)
        if (Date.now() - statSync(file).mtimeMs > weekMs) rmSync(file, { force: true })
      }
    },
  }
}

/** V8 runs the code without validating it, so it must belong to this user. */
function readOwn(path: string): Buffer | null {
  try {
    return readBytes(path, ({ uid, mode }) => uid === process.geteuid?.() && (mode & 0o022) === 0)
  } catch {
    return null
  }
}

/**
 * FNV-1a over 32-bit words, for bytes that are aligned to a word. The loop uses an index, since an
 * iterator takes five times as long until it is optimized. Loading Node's own crc32 takes as long
 * as this.
 */
function sumOf(bytes: Buffer): number {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  let sum = bytes.length
  for (let i = 0; i < words.length; i += 1) sum = Math.imul(sum ^ (words[i] ?? 0), 0x01000193)
  for (const byte of bytes.subarray(words.length * 4)) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum
}
