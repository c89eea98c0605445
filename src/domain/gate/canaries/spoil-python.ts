import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isConstant } from '../vacuous.ts'
import type { Replacement, Spoiling } from './spoiling.ts'

const definition = /^([ \t]*)(?:async )?def (test\w*)\([^()\n]*\)[^:\n]*:[ \t]*$/
const equal = /^self\.assertEquals?\(/
const excused = /\bskip|\bxfail\b|\bexpectedFailure\b|\bplatform\b|\benviron\b|\bimportorskip\b|\byield\b/

interface Line {
  readonly start: number
  readonly text: string
  readonly indent: string
}

export function spoiledPython({ path, text, before }: Spoiling): readonly Replacement[] {
  const code = maskCode(text, syntaxOf(path, text))
  const lines = linesOf(code)
  // What a test is decorated with may expect that it fails, or give it a table.
  return lines.flatMap(({ start, text: line }, i): readonly Replacement[] => {
    const [, indent, name] = definition.exec(line) ?? []
    if (indent === undefined || name === undefined) return []
    if (/^[ \t]*@/.test(lines[i - 1]?.text ?? '')) return []
    const rest = lines.slice(i + 1)
    const length = rest.findIndex((each) => each.text.trim() !== '' && each.indent.length <= indent.length)
    const body = length < 0 ? rest : rest.slice(0, length)
    const last = body.at(-1)
    const end = last === undefined ? start : last.start + last.text.length
    if (before?.includes(text.slice(start, end)) || excused.test(code.slice(start, end))) return []
    const claims = directly(body).flatMap((each) => expectedIn({ text, code }, each) ?? [])
    const claimed = claims.at(-1)
    return claimed === undefined ? [] : [{ name, ...claimed }]
  })
}

function linesOf(code: string): readonly Line[] {
  let start = 0
  return code.split('\n').map((text) => {
    const line = { start, text: text.replace(/\r$/, ''), indent: /^[ \t]*/.exec(text)?.[0] ?? '' }
    start += text.length + 1
    return line
  })
}

/** Lines of a body that stand in no block, and those directly in a `try`. */
function directly(body: readonly Line[]): readonly Line[] {
  const depth = body.find(({ text }) => text.trim() !== '')?.indent
  if (depth === undefined) return []
  let tried = false
  let inner: string | null = null
  return body.filter(({ text, indent }) => {
    if (text.trim() === '') return false
    if (indent === depth) {
      tried = /^[ \t]*try[ \t]*:[ \t]*$/.test(text)
      inner = null
      return true
    }
    if (!tried) return false
    inner ??= indent
    return indent === inner
  })
}

interface Read {
  readonly text: string
  readonly code: string
}

function expectedIn(read: Read, line: Line): Omit<Replacement, 'name'> | null {
  const { code } = read
  const start = line.start + line.indent.length
  const end = line.start + line.text.trimEnd().length
  const said = code.slice(start, end)
  const shown = read.text.slice(start, end)
  if (isOpen(said)) return null
  const called = equal.exec(said)?.[0]
  if (called !== undefined) {
    const close = bracketEnds(said)[called.length - 1] ?? 0
    if (close !== said.length - 1) return null
    const [actual, expected] = partsBetween(code, { start: start + called.length, end: start + close })
    return pick(read, { actual, expected, shown })
  }
  const word = /^assert[ \t]+/.exec(said)?.[0]
  if (word === undefined) return null
  const [condition] = partsBetween(code, { start: start + word.length, end })
  if (
    condition === undefined ||
    / (?:and|or|if|else|in|is|not) |^not\b|\blambda\b|:=/.test(code.slice(condition.start, condition.end))
  )
    return null
  const sign = soleEquals(code, condition)
  if (sign === null) return null
  const [actual, expected] = [
    { start: condition.start, end: sign },
    { start: sign + 2, end: condition.end },
  ]
  return pick(read, { actual, expected, shown })
}

function pick(
  read: Read,
  {
    actual,
    expected,
    shown,
  }: { readonly actual?: Part | undefined; readonly expected?: Part | undefined; readonly shown: string },
): Omit<Replacement, 'name'> | null {
  if (actual === undefined || expected === undefined || isLiteral(read, actual)) return null
  return isLiteral(read, expected) ? { at: trimmed(read.code, expected), line: shown } : null
}

function isLiteral(read: Read, part: Part): boolean {
  const { start, end } = trimmed(read.code, part)
  return start < end && isConstant(read, { start, end }) && /^[-\d"'([{TFN]/.test(read.code.slice(start, end))
}

/** Where the only comparison outside of brackets is; null for none, or more. */
function soleEquals(code: string, { start, end }: Part): number | null {
  const ends = bracketEnds(code.slice(start, end))
  let found: number | null = null
  for (let at = 0; at < end - start; at += 1) {
    const close = ends[at] ?? 0
    if (close > 0) at = close
    else if (/[=<>!]/.test(code.charAt(start + at))) {
      if (found !== null || code.slice(start + at, start + at + 2) !== '==') return null
      found = start + at
      at += 1
    }
  }
  return found
}

/** Whether it goes on in the next line. */
function isOpen(said: string): boolean {
  const count = (pattern: RegExp) => said.match(pattern)?.length ?? 0
  return count(/[([{]/g) !== count(/[)\]}]/g) || said.endsWith('\\')
}

function trimmed(code: string, { start, end }: Part): Part {
  const part = code.slice(start, end)
  return { start: start + (part.length - part.trimStart().length), end: end - (part.length - part.trimEnd().length) }
}
