import { assertionPlaces } from '../assertions.ts'
import { type Part, partsBetween } from '../brackets.ts'
import { type Literal, literalsIn } from './literals.ts'
import { type ReadFile, type Statement, testNames } from './statements.ts'

/** An assertion as the file writes it. */
export interface Assertion extends Part {
  readonly path: string
  /** The first line of the assertion. */
  readonly line: string
  /** Equal for assertions of the same words, whatever their message and layout. */
  readonly key: string
  /** Equal also for assertions that differ in the names of variables alone. */
  readonly shape: string
  readonly literals: readonly Literal[]
  /** The name of the test around it; null in a helper, or where the name is computed. */
  readonly test: string | null
  readonly statement: Statement | null
}

/** The assertions of a file, in their order. */
export function assertionsIn(file: ReadFile): readonly Assertion[] {
  const places = assertionPlaces(file.text, file.path).toSorted((a, b) => a - b)
  const found: Assertion[] = []
  for (const start of places) {
    const { end, parts } = extentOf(file, start)
    const last = found.at(-1)
    // A nested assertion is a part of the outer one.
    if (last !== undefined && start < last.end) continue
    const statement = file.statements.find((each) => each.start <= start && start < each.end) ?? null
    const said = parts.map((part) => file.text.slice(part.start, part.end))
    const key = said
      .map((each) =>
        each
          .replace(/\s+/g, ' ')
          .replace(/,? ?([)\]}])/g, '$1')
          .trim(),
      )
      .join(' ')
    found.push({
      start,
      end,
      statement,
      path: file.path,
      line: lineAt(file.text, start),
      key: key.replaceAll('"', "'").replace(/\b(?:timeout|interval|retries)\s*:\s*[\d_]+,?\s*/g, ''),
      shape: key
        .replaceAll('"', "'")
        .replace(/(?<![\w$.'`])[a-z_$][\w$]*(?!\s*[\w$(.'`])/g, '_')
        .replace(/(?<![\w$.'`])[a-z_$][\w$]*(?=\s*\.)/g, '_'),
      literals: parts.flatMap((part) => literalsIn(file, part)),
      test: statement === null ? null : testAt(file, statement, start),
    })
  }
  return found
}

/** Assertion functions that take one value; further arguments are messages. */
const oneValue =
  /(?:^|\.)(?:ok|assert|true|false|truthy|falsy|notOk|ifError|assertTrue|assertFalse|assertIsNone|assertIsNotNone|expect)$/

/** The end of an assertion, and its arguments without a message. */
function extentOf({ text, code, ends, language }: ReadFile, start: number): { end: number; parts: readonly Part[] } {
  const word = /^(?:await\s+|with\s+)?[\w$.#!]+/.exec(code.slice(start, start + 200))?.[0] ?? ''
  if (
    (language === 'python' && word === 'assert' && !/^\s*\(/.test(code.slice(start + 6))) ||
    code.slice(start).startsWith('assert (')
  ) {
    const end = lineEnd(code, ends, start)
    const [condition] = partsBetween(code, { start: start + 6, end })
    return { end, parts: condition === undefined ? [{ start, end }] : [{ start, end: condition.end }] }
  }
  let open = code.indexOf('(', start + word.length)
  if (open < 0 || code.slice(start + word.length, open).trim() !== '') open = code.indexOf('(', start)
  const close = open < 0 ? 0 : (ends[open] ?? 0)
  if (close === 0) {
    const end = lineEnd(code, ends, start)
    return { end, parts: [{ start, end }] }
  }
  const callee = code
    .slice(start, open)
    .trim()
    .replace(/^await\s+/, '')
  const said = partsBetween(code, { start: open + 1, end: close })
  const kept = said.filter((part, i) => i === 0 || !isMessage(text, part, { i, isOne: oneValue.test(callee) }))
  const parts: Part[] = [{ start, end: open + 1 }, ...kept]
  let end = close + 1
  const chain = /(?:\s*[?!]?\.\s*[\w$]+)+\s*/y
  for (;;) {
    chain.lastIndex = end
    if (!chain.test(code)) break
    const next = chain.lastIndex
    const last = code[next] === '(' ? (ends[next] ?? 0) + 1 : next
    if (last <= end) break
    parts.push({ start: end, end: last })
    end = last
  }
  return { end, parts }
}

function isMessage(text: string, { start, end }: Part, { i, isOne }: { readonly i: number; readonly isOne: boolean }) {
  return (isOne || i >= 2) && /^\s*(?:f?["'`]|msg\s*=)/.test(text.slice(start, end))
}

/** The end of the last line of a Python statement. */
function lineEnd(code: string, ends: Int32Array, start: number): number {
  let at = start
  for (; at < code.length && code[at] !== '\n' && code[at] !== ';'; at += 1) at = Math.max(at, ends[at] ?? 0)
  return at
}

function testAt(file: ReadFile, statement: Statement, at: number): string | null {
  const before = testNames(file, { start: statement.start, end: at })
  return before.at(-1) ?? null
}

function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end < 0 ? text.length : end).trim()
}

/**
 * Old assertions that no new assertion repeats word for word; each new assertion can match only one
 * old assertion. Assertions of a removed test count as gone, too.
 */
export function goneAssertions(
  before: readonly Assertion[],
  after: readonly Assertion[],
  isGone: (test: string) => boolean,
): { readonly gone: readonly Assertion[]; readonly added: readonly Assertion[] } {
  const left = Map.groupBy(after, ({ key }) => key) as Map<string, Assertion[]>
  const gone = before.filter(({ key, test }) => {
    if (test !== null && isGone(test)) return true
    const same = left.get(key)
    if (same === undefined || same.length === 0) return true
    left.set(key, same.slice(1))
    return false
  })
  return { gone, added: [...left.values()].flat() }
}
