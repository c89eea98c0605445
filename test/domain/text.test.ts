import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sentence } from '../../src/domain/sentence.ts'
import { capText, lastLines, slug } from '../../src/domain/text.ts'
import { verificationId } from '../../src/domain/verification/verification.ts'
import { anyText } from '../fuzz/any-text.ts'

const words = fc.string({ unit: fc.constantFrom('a', '🚢', 'é', '\n', ' '), maxLength: 200 })

describe('a capped text', () => {
  test('that fits is as it was', () => {
    expect(capText('abc', 3)).toBe('abc')
  })

  test('that does not keeps head and tail and says how much is missing', () => {
    expect(capText('abcdefgh', 4)).toBe('ab\n… 4 characters left out …\ngh')
  })

  test('has at most its size and one line more, loses nothing uncounted, and no character by half', () => {
    fc.assert(
      fc.property(words, fc.nat({ max: 60 }), (text, max) => {
        const capped = capText(text, max)
        expect(capped.isWellFormed()).toBe(true)
        if (text.length <= max) {
          expect(capped).toBe(text)
          return
        }
        const [, head = '', left, tail = ''] = /^(.*)\n… (\d+) characters left out …\n(.*)$/s.exec(capped) ?? []
        expect(head.length + tail.length).toBeLessThanOrEqual(max)
        expect(head.length + Number(left) + tail.length).toBe(text.length)
        expect(text.startsWith(head)).toBe(true)
        expect(text.endsWith(tail)).toBe(true)
      }),
    )
  })
})

test('the last lines of a text do not count its final newline', () => {
  expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc')
  expect(lastLines('a\nb\nc', 2)).toBe('b\nc')
  expect(lastLines('a', 5)).toBe('a')
})

describe('a slug', () => {
  test.each([
    ['Fix the login timeout', 'fix-the-login-timeout'],
    ['  Über-Größe: 3 < 4!  ', 'uber-gro-e-3-4'],
    ['修复', 'task'],
    ['', 'task'],
    [`${'a'.repeat(39)}-b`, 'a'.repeat(39)],
  ])('of %j is %s', (text, wanted) => {
    expect(slug(text)).toBe(wanted)
  })

  test('is always fit for a branch name', () => {
    fc.assert(
      fc.property(anyText(80), (text) => {
        expect(slug(text)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slug(text).length).toBeLessThanOrEqual(40)
        expect(slug(slug(text))).toBe(slug(text))
      }),
    )
  })
})

describe('a run_id', () => {
  test('is the time in UTC and six characters of chance', () => {
    const at = new Date('2031-02-03T04:05:06.789Z')
    expect(verificationId(at, 0)).toBe('run_20310203_040506_000000')
    expect(verificationId(at, 0.999_999_999_9)).toBe('run_20310203_040506_zzzzzz')
  })

  test('has the same form at any time', () => {
    const at = fc.date({ min: new Date('2000-01-01'), max: new Date('9999-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(at, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (date, random) => {
        expect(verificationId(date, random)).toMatch(/^run_\d{8}_\d{6}_[0-9a-z]{6}$/)
      }),
    )
  })
})

describe('a sentence with words of others', () => {
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

  test('an empty value leaves no space behind', () => {
    expect(sentence`- c1 (major) ${''}: Please improve.`).toBe('- c1 (major): Please improve.')
    expect(sentence`It ended ${''}.`).toBe('It ended.')
    expect(sentence`It failed: ${''}. Go on.`).toBe('It failed. Go on.')
    expect(sentence`c1 (major, ${''}): no`).toBe('c1 (major): no')
    expect(sentence`It was stopped; ${''}`).toBe('It was stopped')
    expect(sentence`It is ${''} here.`).toBe('It is here.')
    expect(sentence`It ended ${''}`).toBe('It ended')
  })

  test('a value of several lines keeps them, and two values in a row keep the text between them', () => {
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

  test('no punctuation is doubled and none follows a space, for any words', () => {
    fc.assert(
      fc.property(words, words, (one, other) => {
        const said = sentence`It (major) ${one}: ${other}. So ${one}, and ${other}`
        expect(said).not.toMatch(/[.!?…,;:]\.|[.,;:][,;:]/)
        expect(said.replaceAll('\n', '')).not.toMatch(/\s[,:.;]/)
      }),
    )
  })
})
