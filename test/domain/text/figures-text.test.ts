import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatUsd } from '../../../src/domain/figures-text.ts'

test('dollars keep two digits that count, and are rounded once', () => {
  const cases = { 0: '$0', 0.00004: '<$0.0001', 0.0012345: '$0.0012', 0.0994: '$0.099', 0.0996: '$0.10' }
  for (const [usd, said] of Object.entries(cases)) expect(formatUsd(Number(usd))).toBe(said)
  expect([0.1, 1.005, 999.999, 12_345.6].map(formatUsd)).toEqual(['$0.10', '$1.00', '$1,000.00', '$12,345.60'])
  expect(formatUsd(null)).toBe('unknown')
})

test('counts, durations and bytes never show 1000 of a unit, nor 60 of one that has a next', () => {
  expect([999, 1_000, 43_456, 999_949, 999_950, 15_638_966].map(formatCount)).toEqual([
    '999',
    '1.0k',
    '43.5k',
    '999.9k',
    '1.0M',
    '15.6M',
  ])
  expect([-5, 40, 350, 9_949, 9_950, 59_499, 59_500, 185_000, 3_599_600, 180_420_000].map(formatDuration)).toEqual([
    '0.1 s',
    '0.1 s',
    '0.4 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 00 s',
    '3 min 05 s',
    '1 h 00 min',
    '2 days',
  ])
  expect([0, 1_023, 1_536, 1_048_576].map(formatBytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '1.0 MiB'])
})
