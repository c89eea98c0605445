import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findingLine } from '../../src/domain/gate/finding-line.ts'
import { sentence } from '../../src/domain/sentence.ts'

test.each([
  ['it says what shows it.', 'Why: it says what shows it. Go on.'],
  ['it says what shows it', 'Why: it says what shows it. Go on.'],
  ['are you sure?', 'Why: are you sure? Go on.'],
  ['it ended with "no."', 'Why: it ended with "no." Go on.'],
  ['and so on…', 'Why: and so on… Go on.'],
  ['the log says:', 'Why: the log says. Go on.'],
  ['line one.\n', 'Why: line one. Go on.'],
])('words that end as they like end one sentence: %s', (why, whole) => {
  expect(sentence`Why: ${why}. Go on.`).toBe(whole)
})

test('a finding about no file is told without its place', () => {
  const finding = { id: 'c1', severity: 'major', file: '', claim: 'Please improve.' } as const
  expect(findingLine(finding)).toBe('c1 (major): Please improve.')
  expect(findingLine({ ...finding, line: 3 }, 'open')).toBe('c1 (major, open): Please improve.')
  expect(findingLine({ ...finding, file: 'a.ts' })).toBe('c1 (major) a.ts: Please improve.')
  expect(findingLine({ ...finding, file: 'a.ts', line: 3 })).toBe('c1 (major) a.ts:3: Please improve.')
})

test('what is empty leaves no space behind', () => {
  expect(sentence`- c1 (major) ${''}: Please improve.`).toBe('- c1 (major): Please improve.')
  expect(sentence`It ended ${''}.`).toBe('It ended.')
  expect(sentence`It failed: ${''}. Go on.`).toBe('It failed. Go on.')
  expect(sentence`c1 (major, ${''}): no`).toBe('c1 (major): no')
  expect(sentence`It is ${''} here.`).toBe('It is here.')
  expect(sentence`It ended ${''}`).toBe('It ended')
})

test('a value with lines of its own keeps them, and two values in a row keep what is between them', () => {
  expect(sentence`It failed: ${'no.'}.${'\nIts log: a'}${'\nb\n'}`).toBe('It failed: no.\nIts log: a\nb\n')
  expect(sentence`It is ${''}${'here'}.`).toBe('It is here.')
})

test('words inside of a sentence do not end it', () => {
  expect(sentence`It failed: ${'no space is left.'}, and the disk is full.`).toBe(
    'It failed: no space is left, and the disk is full.',
  )
  expect(sentence`It waits for ${'a..b...'}: soon`).toBe('It waits for a..b...: soon')
})

const words = fc.stringMatching(/^([a-z]{1,6}[.,;:!?…]?[ \n]?)?$/)

test('whatever the words are, no punctuation is doubled and none follows a space', () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      const said = sentence`It (major) ${one}: ${other}. So ${one}, and ${other}`
      expect(said).not.toMatch(/[.!?…,;:]\.|[.,;:][,;:]/)
      expect(said.replaceAll('\n', '')).not.toMatch(/\s[,:.;]/)
    }),
  )
})
