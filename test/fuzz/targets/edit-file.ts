import fc from 'fast-check'
import { expect } from 'vitest'
import { applyEdits, type Edit } from '../../../src/domain/edit/edit-file.ts'
import { expectClearError } from '../clear-error.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input extends Edit {
  readonly text: string
}

const piece = fc.oneof(fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r', '$&', '.', '(', '\\', '🚢', 'é'), nasty)
const words = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))

/** Mostly a part of the text, with its own line endings or with those of another editor. */
const inputs: fc.Arbitrary<Input> = fc
  .record({
    text: words,
    from: fc.nat(40),
    length: fc.nat(12),
    odd: fc.option(words),
    new: words,
    all: fc.boolean(),
    ending: fc.constantFrom('as it is', '\n', '\r\n'),
  })
  .map(({ text, from, length, odd, ending, ...edit }) => {
    const part = odd ?? text.slice(from, from + length)
    const old = ending === 'as it is' ? part : part.replaceAll('\r\n', '\n').replaceAll('\n', ending)
    return { text, old, new: edit.new, all: edit.all }
  })

/** An edit of text, in which a line ending of `old` may be LF or CRLF. */
export const editFile: FuzzTarget<Input> = {
  name: 'edit-file',
  async open() {
    return { inputs, check }
  },
}

function check({ text, old, all, ...edit }: Input): void {
  const result = applyEdits(text, [{ old, new: edit.new, all }])
  const places = old === '' || !old.isWellFormed() ? [] : [...text.matchAll(patternOf(old))]
  if (!result.ok) {
    expectClearError(result.reason.replaceAll(text, ''))
    if (old === '' || !old.isWellFormed() || !edit.new.isWellFormed() || isSame(old, edit.new)) return
    expect(places.length === 0 || (places.length > 1 && !all)).toBe(true)
    return
  }
  if (places.length === 0) {
    expect(result.ignored).not.toEqual([])
    expect(withoutSpace(result.text)).toSatisfy(
      isReplacedIn(withoutSpace(text), withoutSpace(old), withoutSpace(edit.new)),
    )
    return
  }
  expect(result.replaced).toBe(places.length)
  expect(result.text).toBe(expected(text, edit.new, places))
}

const withoutSpace = (text: string): string => text.replace(/[ \t\r\n]/g, '')

/** True if only `old` was replaced, at any number of places. */
function isReplacedIn(text: string, old: string, put: string): (result: string) => boolean {
  return (result) => {
    const rests = (from: number, at: number): boolean => {
      if (text.slice(from) === result.slice(at)) return true
      for (let found = text.indexOf(old, from); found >= 0; found = text.indexOf(old, found + 1)) {
        const kept = text.slice(from, found)
        if (!result.startsWith(kept + put, at)) continue
        if (rests(found + old.length, at + kept.length + put.length)) return true
      }
      return false
    }
    return rests(0, 0)
  }
}

const isSame = (a: string, b: string): boolean => a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n')

/**
 * `old` as a regular expression: its line endings match LF or CRLF, and its carriage returns match
 * only outside line endings.
 */
function patternOf(old: string): RegExp {
  const lines = old.replaceAll('\r\n', '\n').split('\n')
  const source = lines
    .map((line) => line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\r', '\\r(?!\\n)'))
    .join('\\r?\\n')
  // A match may not start between the two characters of a line ending, either.
  return new RegExp(source, 'g')
}

function expected(text: string, put: string, places: readonly RegExpExecArray[]): string {
  const isWindows = text.includes('\r\n') && !/(^|[^\r])\n/.test(text)
  let result = ''
  let from = 0
  for (const { index, 0: found } of places) {
    const own = /\r?\n/.exec(found)?.[0] ?? (isWindows ? '\r\n' : '\n')
    result += text.slice(from, index) + put.replaceAll('\r\n', '\n').split('\n').join(own)
    from = index + found.length
  }
  return result + text.slice(from)
}
