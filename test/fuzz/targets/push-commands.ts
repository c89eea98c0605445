import fc from 'fast-check'
import { expect } from 'vitest'
import { mostCommandBytes, readCommands } from '../../../src/adapters/git/control/read-commands.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const id = fc.constantFrom(
  '0'.repeat(40),
  'a'.repeat(40),
  '1'.repeat(64),
  '0'.repeat(64),
  'A'.repeat(40),
  'a'.repeat(39),
)
const ref = fc.oneof(fc.constantFrom('refs/drydock/looks/run/story/now', 'HEAD', '--exec=x', 'a b', ''), nasty)
const capabilities = fc.constantFrom('', '\0', '\0 report-status', '\0report-status-v2 side-band-64k\n', '\0\0', '\n')
const line = fc
  .tuple(id, id, ref, capabilities)
  .map(([from, to, name, more]) => Buffer.from(`${from} ${to} ${name}${more}`).toString('latin1'))
const packet = fc.oneof(line, nasty).map((text) => (text.length + 4).toString(16).padStart(4, '0') + text)
const part = fc.oneof(
  { weight: 5, arbitrary: packet },
  { weight: 1, arbitrary: fc.constantFrom('0000', '0001', '0004', 'ffff', 'PACK', '-001', '00', 'push-cert') },
  { weight: 1, arbitrary: nasty },
)

/** The commands of a push, with one character for each byte: read exactly, or refused. */
export const pushCommands: FuzzTarget<readonly string[]> = {
  name: 'push-commands',
  async open() {
    return {
      inputs: fc.array(part, { maxLength: 70 }).chain((parts) => fc.constantFrom(parts, [...parts, '0000'])),
      check(parts) {
        const bytes = Buffer.from(parts.join(''), 'latin1')
        const read = readOrRefused(bytes)
        if (read === 'refused') return
        if (read === null) {
          expect(bytes.length).toBeLessThan(mostCommandBytes)
          return
        }
        expect(bytes.toString('latin1', read.length - 4, read.length)).toBe('0000')
        for (const { ref: name, from, to } of read.changes) {
          expect(name).toMatch(/^[!-~]+$/)
          for (const each of [from, to])
            expect(each ?? 'a'.repeat(40)).toMatch(/^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
          const written = `${from ?? '0'.repeat(to?.length ?? 40)} `
          expect(bytes.includes(from === null ? '0'.repeat(40) : written)).toBe(true)
          expect(bytes.includes(` ${name}`)).toBe(true)
        }
        // Any pack may follow, but a shorter input is refused.
        expect(readOrRefused(Buffer.concat([bytes.subarray(0, read.length), Buffer.from('0000PACK')]))).toEqual(read)
        expect(readOrRefused(bytes.subarray(0, read.length - 1))).toBe(null)
      },
    }
  },
}

function readOrRefused(bytes: Buffer): ReturnType<typeof readCommands> | 'refused' {
  try {
    return readCommands(bytes)
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'bad_usage') return 'refused'
    throw error
  }
}
