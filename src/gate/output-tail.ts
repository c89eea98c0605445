import { stripVTControlCharacters } from 'node:util'
import { lastLines } from '../domain/text.ts'

export interface OutputTail {
  push(chunk: Uint8Array): void
  /**
   * The last lines, without control sequences. `…` precedes a first line whose start was dropped.
   */
  text(): string
}

/**
 * Keeps the end of an output of any length: at most `maxBytes` in memory, of which the last
 * `maxLines` lines are shown.
 */
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
      if (written <= maxBytes) return lastLines(plain(ring.subarray(0, written)), maxLines)
      const bytes = Buffer.concat([ring.subarray(at), ring.subarray(0, at)])
      return lastLines(`…${plain(withoutCutCharacter(bytes))}`, maxLines)
    },
  }
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, start))
}

/** Removing a sequence can form another one, so all control characters are removed as well. */
function plain(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8'))
    .replaceAll('\r\n', '\n')
    .replace(/[^\P{Cc}\t\n\r]/gu, '')
}
