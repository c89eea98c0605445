import { limits } from '../domain/limits.ts'

/**
 * Collects a step's output for a reader of test results: all of it, or nothing if it is too long.
 */
export function createTestLog(): { push(chunk: Uint8Array): void; text(): string; readonly maxBytes: number } {
  const maxBytes = limits.testReport.junitChars
  let chunks: Uint8Array[] = []
  let bytes = 0
  return {
    maxBytes,
    push(chunk) {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(Uint8Array.from(chunk))
      else chunks = []
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}
