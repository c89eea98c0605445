import { stripVTControlCharacters } from 'node:util'
import { lastLines } from '../domain/text.ts'

export interface OutputTail {
  push(chunk: Uint8Array): void
  /** The last lines, terminal control sequences removed. */
  text(): string
}

/** Keeps the end of an output of any length: at most `maxBytes` in memory, of which the last `maxLines` lines are shown. */
export function createOutputTail(maxBytes: number, maxLines: number): OutputTail {
  const ring = Buffer.alloc(maxBytes)
  let written = 0
  return {
    push(chunk) {
      const end = chunk.subarray(Math.max(0, chunk.length - maxBytes))
      written += chunk.length - end.length
      const at = written % maxBytes
      const first = Math.min(end.length, maxBytes - at)
      ring.set(end.subarray(0, first), at)
      ring.set(end.subarray(first), 0)
      written += end.length
    },
    text() {
      const at = written % maxBytes
      const bytes =
        written <= maxBytes ? ring.subarray(0, written) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)])
      return lastLines(stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\r\n', '\n'), maxLines)
    },
  }
}
