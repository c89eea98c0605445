import fc from 'fast-check'
import { expect } from 'vitest'
import { normalisedOutput } from '../../../src/domain/lane/normalised-output.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

/** Pairs that two runs of one command may print at the same place. */
const passing = [
  ['2026-11-23T03:31:44.123Z', '2025-01-02T10:00:00Z'],
  ['03:31:44', '13:00:01'],
  ['980ms', '1.2 s'],
  ['1m 2.5s', '59 seconds'],
  ['0x7ffe1234abcd', '0x55d0c0ffee00'],
  ['/tmp/a8f3/x.log', '/tmp/zz/y'],
  ['1763868704123', '1763868999'],
  ['duration_ms 12.345', 'duration_ms 6'],
] as const

interface Input {
  readonly words: readonly string[]
  /** Indexes into `passing`: one pair follows each word. */
  readonly pairs: readonly number[]
}

/** A command's output without the parts that differ between two runs. */
export const normalisedOutputTarget: FuzzTarget<Input> = {
  name: 'normalised-output',
  open: () =>
    Promise.resolve({
      inputs: fc.record({
        words: fc.array(fc.oneof(nasty, fc.string(), fc.constantFrom('time', '3 failed', 'took')), { maxLength: 6 }),
        pairs: fc.array(fc.nat(passing.length - 1), { minLength: 1, maxLength: 3 }),
      }),
      check({ words, pairs }) {
        // One line each, so that no word merges with a varying part.
        const said = (run: 0 | 1) => [...pairs.map((pair) => passing[pair]?.[run] ?? ''), ...words].join('\n')
        expect(normalisedOutput(said(0))).toBe(normalisedOutput(said(1)))
        const still = words.join('\n').replaceAll(/[\d/]/g, '')
        expect(normalisedOutput(still)).toBe(still.trim())
      },
    }),
}
