import { expect, test } from 'vitest'
import { findingLine } from '../../../src/domain/gate/finding-line.ts'

test('a finding about no file is told without its place', () => {
  const finding = { id: 'c1', severity: 'major', file: '', claim: 'Please improve.' } as const
  expect(findingLine(finding)).toBe('c1 (major): Please improve.')
  expect(findingLine({ ...finding, line: 3 }, 'open')).toBe('c1 (major, open): Please improve.')
  expect(findingLine({ ...finding, file: 'a.ts' })).toBe('c1 (major) a.ts: Please improve.')
  expect(findingLine({ ...finding, file: 'a.ts', line: 3 })).toBe('c1 (major) a.ts:3: Please improve.')
})
