import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isConstant } from '../vacuous.ts'
import { spoiledPython } from './spoil-python.ts'
import type { Replacement, SpoiledTest, Spoiling } from './spoiling.ts'

export interface Spoiled {
  readonly text: string
  readonly tests: readonly SpoiledTest[]
}

/**
 * The same tests, each with another literal in the last assertion that stands directly in it.
 * Nothing that a test computes equals it: a test that goes on passing never
 * compares. What stands under a condition, in a callback or a helper, in a table, or in a test that
 * is expected to fail is left alone.
 */
export function spoilExpectations(spoiling: Spoiling): Spoiled {
  const { path, text, token } = spoiling
  const { language } = syntaxOf(path, text)
  const found = language === 'script' ? spoiledScript(spoiling) : path.endsWith('.py') ? spoiledPython(spoiling) : []
  const tests = found.filter(({ name }) => found.filter((other) => other.name === name).length === 1)
  const spoiled = tests
    .toSorted((a, b) => b.at.start - a.at.start)
    .reduce((rest, { at }) => `${rest.slice(0, at.start)}'${token}'${rest.slice(at.end)}`, text)
  return { text: spoiled, tests: tests.map(({ name, line }) => ({ name, line })) }
}

const testCall =
  /(?<![\w$.])(?:test|it|specify)\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*,\s*(?:async\s*)?(?:\([^()\n]*\)\s*=>\s*|[\w$]+\s*=>\s*|function\s*\([^()\n]*\)\s*)\{/g
const claim = /(?:await\s+)?(?:(?:assert|t)\s*\.\s*(?:equal|strictEqual|deepEqual|deepStrictEqual|is)|expect)\s*\(/y
const matcher = /^\s*\.\s*(?:toBe|toEqual|toStrictEqual)\s*\(/
/** What is honest about a test that ends early, or is not meant to pass. */
const excused = /\bskip\b|\btodo\b|\bfails?\b|\bplatform\b|\benv\b|\bplan\b/

function spoiledScript({ path, text, before }: Spoiling): readonly Replacement[] {
  const code = maskCode(text, syntaxOf(path, text))
  const read = { text, code, ends: bracketEnds(code) }
  return [...code.matchAll(testCall)].flatMap(({ index, 0: head }): readonly Replacement[] => {
    const open = index + head.length - 1
    const end = read.ends[open] ?? 0
    const title = /\(\s*(?:"([^"\n]*)"|'([^'\n]*)')/.exec(text.slice(index, open))
    const name = title?.[1] ?? title?.[2] ?? ''
    if (end === 0 || name === '' || name.includes('\\')) return []
    if (before?.includes(text.slice(index, end)) || excused.test(code.slice(index, end))) return []
    const last = expectedIn(read, { start: open + 1, end }).at(-1)
    return last === undefined ? [] : [{ name, line: lineOf(text, last.start), at: last }]
  })
}

/**
 * The literals that assertions expect which stand in a block, but in no block of it except a `try`.
 */
function expectedIn(read: Read, { start, end }: Part): readonly Part[] {
  const { code, ends } = read
  const found: Part[] = []
  for (let at = start; at < end; at += 1) {
    const close = ends[at] ?? 0
    if (close > 0) {
      if (code[at] === '{' && /\btry\s*$/.test(code.slice(Math.max(start, at - 20), at)))
        found.push(...expectedIn(read, { start: at + 1, end: close }))
      at = close
      continue
    }
    claim.lastIndex = at
    const call = beginsStatement(code, { start, end: at }) ? claim.exec(code)?.[0] : undefined
    const expected = call === undefined ? null : expectedBy(read, { at, call, end })
    if (expected !== null) found.push(expected)
  }
  return found
}

/** Whether nothing stands before it that it belongs to, in the block that starts there. */
function beginsStatement(code: string, { start, end: at }: Part): boolean {
  if (!/[aet]/.test(code.charAt(at)) || /[\w$]/.test(code.charAt(at - 1))) return false
  const before = code.slice(Math.max(start, at - 500), at)
  const said = before.trimEnd()
  if (said === '' || said.endsWith(';')) return true
  const line = said.slice(said.lastIndexOf('\n') + 1).trim()
  if (!/\n\s*$/.test(before) || !/[\w$)\]}'"`]$/.test(line)) return false
  return /\breturn$/.test(line) || !/^[}\s]*(?:if|else|for|while|do|switch|case|return)\b|\belse$/.test(line)
}

interface Read {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

interface Call {
  readonly at: number
  readonly call: string
  /** Of the block. */
  readonly end: number
}

/** The literal that an assertion expects of something, where that is all it says. */
function expectedBy(read: Read, { at, call, end }: Call): Part | null {
  const { code, ends } = read
  const open = at + call.length - 1
  const close = ends[open] ?? 0
  if (close === 0) return null
  const said = partsBetween(code, { start: open + 1, end: close })
  const [actual] = said
  if (actual === undefined || isLiteral(read, actual)) return null
  const chain = /expect\s*\($/.test(call) ? matcher.exec(code.slice(close + 1, end))?.[0] : ''
  if (chain === undefined) return null
  const last = chain === '' ? close : (ends[close + chain.length] ?? 0)
  const expected = chain === '' ? said[1] : partsBetween(code, { start: close + chain.length + 1, end: last })[0]
  if (
    expected === undefined ||
    !/^[ \t]*(?:;|\r?\n\s*[\w$}]|\}|$)/.test(code.slice(last + 1, Math.min(end + 1, last + 500)))
  )
    return null
  return isLiteral(read, expected) ? trimmed(code, expected) : null
}

function isLiteral({ text, code, ends }: Read, part: Part): boolean {
  const { start, end } = trimmed(code, part)
  if (start >= end) return false
  // Keys of an object are names, too.
  if (/[[{]/.test(code.charAt(start))) return ends[start] === end - 1
  return /^[-\d"'`tfnu]/.test(code.slice(start)) && isConstant({ text, code }, { start, end })
}

function trimmed(code: string, { start, end }: Part): Part {
  const part = code.slice(start, end)
  return { start: start + (part.length - part.trimStart().length), end: end - (part.length - part.trimEnd().length) }
}

export function lineOf(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end < 0 ? text.length : end).trim()
}
