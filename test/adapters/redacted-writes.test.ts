import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createRedactedWrites } from '../../src/adapters/artifacts/redacted-writes.ts'
import { createRedactor } from '../../src/domain/secrets/redact.ts'
import { canaries } from '../scenarios/world/canaries.ts'

const value = 'known-value-0123456789'
const redact = createRedactor([value])

/** The output for bytes that arrive in these pieces. */
function written(pieces: readonly Uint8Array[]): Buffer {
  const chunks: Uint8Array[] = []
  const writes = createRedactedWrites(redact, (bytes) => chunks.push(Uint8Array.from(bytes)))
  for (const piece of pieces) {
    const memory = Uint8Array.from(piece)
    writes.write(memory)
    // A reader of a pipe reuses its memory.
    memory.fill(120)
  }
  writes.end()
  return Buffer.concat(chunks)
}

describe('bytes that come in pieces', () => {
  test.each([...canaries, { family: 'known value', text: value, needles: [value] }])(
    'hold no $family, wherever they are split',
    ({ text, needles }) => {
      const bytes = Buffer.from(`first\n${text}\nlast`)
      const whole = redact(bytes.toString())
      expect(needles.some((needle) => whole.includes(needle))).toBe(false)
      for (let at = 1; at < bytes.length; at += 1) {
        expect(written([bytes.subarray(0, at), bytes.subarray(at)]).toString(), `at ${at}`).toBe(whole)
      }
      expect(written([...bytes].map((byte) => Uint8Array.of(byte))).toString()).toBe(whole)
    },
  )

  test('hold no key in the middle of a line without an end', () => {
    const canary = canaries.find(({ family }) => family === 'npm')?.text ?? ''
    const bytes = Buffer.from(`${'some words '.repeat(9_000)}${canary}${' some words'.repeat(9_000)}`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, i) =>
      bytes.subarray(i * 997, (i + 1) * 997),
    )
    expect(written(pieces).toString()).toBe(redact(bytes.toString()))
  })

  test('are the same bytes when they hold nothing, text or not', () => {
    const bytes = randomBytes(300_000)
    for (const size of [1_000, 65_536, 300_000]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect(written(pieces).equals(bytes)).toBe(true)
    }
    expect(written([Buffer.from('ä€𝄞\r\n\0x')]).equals(Buffer.from('ä€𝄞\r\n\0x'))).toBe(true)
  })
})
