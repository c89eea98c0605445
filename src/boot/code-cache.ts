import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** V8's compiled code of a chunk. */
export interface CompiledCode {
  readonly code: Buffer
  /** Processor time of the writing process in milliseconds: with more, V8 compiled more. */
  readonly age: number
}

/** The compiled code of a build's chunks, one file each, in a folder of the user's own. */
export interface CodeCache {
  /** Returns null without a whole file that only this user may write. */
  read(chunk: string): CompiledCode | null
  /** Writes atomically, and removes files of other builds after a week. Throws folder errors. */
  write(chunk: string, compiled: CompiledCode): void
}

const prefix = 'drydock-'
const weekMs = 7 * 86_400_000
/** The checksum, four unused bytes, and the age. V8 wants code to begin at a multiple of eight. */
const headBytes = 16

/** `build` is a hash of all chunks, because V8 compares no more than the length of a source. */
export function openCodeCache(folder: string, build: string): CodeCache {
  const own = `${prefix}${build}-`
  return {
    read(chunk) {
      const bytes = readOwn(join(folder, `${own}${chunk}`))
      if (bytes === null || bytes.length < headBytes) return null
      const code = bytes.subarray(headBytes)
      return crc32(code) === bytes.readUInt32LE(0) ? { code, age: bytes.readDoubleLE(8) } : null
    },
    write(chunk, { code, age }) {
      const head = Buffer.alloc(headBytes)
      head.writeUInt32LE(crc32(code), 0)
      head.writeDoubleLE(age, 8)
      const path = join(folder, `${own}${chunk}`)
      const draft = `${path}.${process.pid}-${Date.now()}`
      try {
        writeFileSync(draft, Buffer.concat([head, code]), { flag: 'wx', mode: 0o600 })
        renameSync(draft, path)
      } catch (error) {
        rmSync(draft, { force: true })
        throw error
      }
      for (const name of readdirSync(folder)) {
        if (!name.startsWith(prefix) || (name.startsWith(own) && name.endsWith('.cjs'))) continue
        const file = join(folder, name)
        if (Date.now() - statSync(file).mtimeMs > weekMs) rmSync(file, { force: true })
      }
    },
  }
}

/** V8 runs cached code unchecked, so nobody else may have written it. */
function readOwn(path: string): Buffer | null {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { uid, mode } = fstatSync(file)
    return uid === process.geteuid?.() && (mode & 0o022) === 0 ? readFileSync(file) : null
  } catch {
    return null
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
