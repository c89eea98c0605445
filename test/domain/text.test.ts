import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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
