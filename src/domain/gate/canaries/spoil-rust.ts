import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { lineAt, trimmed } from './other-literal.ts'
import type { Expectation } from './spoiling.ts'

const testFunction =
  /#\[(?:\w+::)?test(?:\([^\n\]]*\))?\](?<more>(?:\s*#\[[^\]\n]*\])*)\s*(?:pub\s+)?(?:async\s+)?fn\s+(?<name>\w+)\s*\(\s*\)[^{;]*\{/g
const asserting = /(?<![\w.])assert_eq!\s*\(/g
const excused = /should_panic|ignore|cfg!?\(/

/** The last expected literal of each test, or the last expected value made of literals alone. */
export function expectedInRust(path: string, text: string): readonly Expectation[] {
  const code = maskCode(text, syntaxOf(path, text))
  const ends = bracketEnds(code)
  return [...code.matchAll(testFunction)].flatMap(({ index, 0: head, groups = {} }): readonly Expectation[] => {
    const open = index + head.length - 1
    const end = ends[open] ?? 0
    const before = code.slice(Math.max(0, index - 300), index).match(/(?:#\[[^\]\n]*\]\s*)+$/)?.[0] ?? ''
    if (end <= open || excused.test(`${before}${groups.more ?? ''}${code.slice(open, end)}`)) return []
    const found = [...code.slice(open + 1, end).matchAll(asserting)].flatMap(({ index: at, 0: call }) => {
      const from = open + 1 + at
      if (!isDirect(ends, { start: open + 1, end: from })) return []
      const round = from + call.length - 1
      const [one, other] = partsBetween(code, { start: round + 1, end: ends[round] ?? 0 })
      if (one === undefined || other === undefined) return []
      const values = [one, other].map((part) => trimmed(code, part)).filter((part) => isMadeOfLiterals(code, part))
      const [only, more] = values
      return only === undefined || more !== undefined ? [] : [only]
    })
    const at = found.at(-1)
    if (at === undefined) return []
    const name = groups.name ?? ''
    return [{ name, line: lineAt(text, at.start), test: { start: index, end }, at, isLast: true }]
  })
}

/** True if a part is not in a nested block of the test. */
function isDirect(ends: Int32Array, { start, end }: Part): boolean {
  for (let at = start; at < end; at += 1) {
    const close = ends[at] ?? 0
    if (close > end) return false
    if (close > 0) at = close
  }
  return true
}

/** True for values such as `Some(4)`, `vec![1, 2]`, `Money { cents: 4 }` and `"a".to_string()`. */
function isMadeOfLiterals(code: string, { start, end }: Part): boolean {
  const said = code.slice(start, end)
  if (!/[\d"']|\b(?:true|false)\b/.test(said)) return false
  const words = said
    .replaceAll(/"[^"]*"|'[^']*'|(?<![\w.])-?\d[\w.]*/g, ' ')
    .replaceAll(/\.(?:to_string|to_owned|into|to_vec|as_str)\(\)/g, ' ')
    .replaceAll(/\b\w+\s*:(?!:)/g, ' ')
    .replaceAll(/\bvec!|\bString::from\b|\btrue\b|\bfalse\b|\b(?:\w+::)*[A-Z]\w*(?:::\w+)*(?=\s*[({])/g, ' ')
  return /^[\s()[\]{},&-]*$/.test(words)
}
