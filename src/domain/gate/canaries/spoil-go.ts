import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { lineAt, trimmed } from './other-literal.ts'
import type { Expectation } from './spoiling.ts'

const testFunction = /^func (Test\w*)\(\s*(\w+)\s+\*testing\.T\s*\)\s*\{/gm
const excused = /\.Skip|\.Short\(\)|\bGOOS\b|\bGetenv\b/
/** A comparison that makes a test fail if two values differ. */
const comparing =
  /\bif\s+(?:[^{};\n]*;\s*)?(?:(?<actual>[^{};&|\n]*?)\s*!=\s*(?<expected>[^{}&|\n;]+?)|!\s*(?:reflect\.DeepEqual|cmp\.Equal|slices\.Equal|maps\.Equal)\s*\((?<both>[^{}]*?)\))\s*\{/g
const asserting = /(?<![\w.])(?:assert|require|is)\.(?:Equal|EqualValues|Exactly)\s*\(/g

interface SourceText {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

/** The expected value of a comparison, and the whole statement. */
interface Claim {
  readonly at: Part
  readonly all: Part
}

/**
 * The last expectation of each test: a literal, the value of a variable, or the value in the last
 * row of a table.
 */
export function expectedInGo(path: string, text: string): readonly Expectation[] {
  const code = maskCode(text, syntaxOf(path, text))
  const read = { text, code, ends: bracketEnds(code) }
  return [...code.matchAll(testFunction)].flatMap(
    ({ index, 0: head, 1: name = '', 2: t = '' }): readonly Expectation[] => {
      const open = index + head.length - 1
      const inside = { start: open + 1, end: read.ends[open] ?? 0 }
      if (inside.end <= inside.start || excused.test(code.slice(inside.start, inside.end))) return []
      const values = claimsIn(read, inside, t).flatMap((claim) => {
        const found = isLiteral(read, claim.at)
          ? claim.at
          : (named(read, inside, claim) ?? lastRow(read, inside, claim))
        return found === null || !isDirect(read, inside, claim, found) ? [] : [found]
      })
      const at = values.at(-1)
      if (at === undefined) return []
      return [{ name, line: lineAt(text, at.start), test: { start: index, end: inside.end }, at, isLast: true }]
    },
  )
}

function claimsIn({ code, ends }: SourceText, { start, end }: Part, t: string): readonly Claim[] {
  const body = code.slice(start, end)
  const fails = new RegExp(`\\b${t}\\.(?:Error|Fatal|Fail)`)
  const claims: Claim[] = []
  for (const { index, 0: head, groups = {} } of body.matchAll(comparing)) {
    const from = start + index
    const open = from + head.length - 1
    const close = ends[open] ?? 0
    if (!fails.test(code.slice(open, close))) continue
    const { expected, both } = groups
    const all = { start: from, end: close + 1 }
    if (expected !== undefined) {
      const at = from + head.lastIndexOf(expected)
      claims.push({ at: { start: at, end: at + expected.length }, all })
    } else if (both !== undefined) {
      const at = from + head.lastIndexOf(both)
      const [one, other] = partsBetween(code, { start: at, end: at + both.length })
      for (const part of [one, other]) if (part !== undefined) claims.push({ at: trimmed(code, part), all })
    }
  }
  for (const { index, 0: head } of body.matchAll(asserting)) {
    const open = start + index + head.length - 1
    const close = ends[open] ?? 0
    const parts = partsBetween(code, { start: open + 1, end: close })
    const values = code.slice(open + 1, open + 1 + t.length + 1) === `${t},` ? parts.slice(1, 3) : parts.slice(0, 2)
    for (const part of values) claims.push({ at: trimmed(code, part), all: { start: start + index, end: close + 1 } })
  }
  return claims.toSorted((a, b) => a.all.start - b.all.start)
}

/**
 * True if a comparison is not nested in any block of its test, except for the loop over its table.
 */
function isDirect({ code, ends }: SourceText, { start }: Part, { all, at }: Claim, found: Part): boolean {
  let isInLoop = false
  for (let open = start; open < all.start; open += 1) {
    const close = ends[open] ?? 0
    if (code[open] !== '{' || close === 0) continue
    if (close < all.start) {
      open = close
      continue
    }
    const head = code.slice(code.lastIndexOf('\n', open) + 1, open)
    const isRun = /\.Run\([^\n]*func\([^\n]*$/.test(head)
    if (!/^\s*for\b[^\n]*\brange\b/.test(head) && !isRun) return false
    isInLoop = true
  }
  return !isInLoop || found.start < at.start
}

/** The value of a variable that only the comparison uses. */
function named({ text, code, ends }: SourceText, { start, end }: Part, { at, all }: Claim): Part | null {
  const name = code.slice(at.start, at.end)
  if (!/^\w+$/.test(name)) return null
  const uses = [...code.slice(start, end).matchAll(new RegExp(`(?<![\\w.])${name}\\b(?!\\s*:(?!=))`, 'g'))].map(
    ({ index }) => start + index,
  )
  const [first, other] = uses.filter((each) => each < all.start || each >= all.end)
  if (first === undefined || other !== undefined) return null
  const sign = /^\s*(?::?=)\s*/.exec(code.slice(first + name.length))?.[0]
  if (sign === undefined) return null
  const value = valueAt({ text, code, ends }, first + name.length + sign.length)
  return isLiteral({ text, code, ends }, value) ? value : null
}

/** A value up to the end of its line, or of its brackets. */
function valueAt({ code, ends }: SourceText, start: number): Part {
  let at = start
  while (at < code.length && code[at] !== '\n') {
    const close = ends[at] ?? 0
    at = close > 0 ? close + 1 : at + 1
  }
  return trimmed(code, { start, end: at })
}

/** The value of the compared field in the last row of the table that a loop goes through. */
function lastRow(read: SourceText, { start, end }: Part, { at }: Claim): Part | null {
  const { code, ends } = read
  const [, row, field] = /^(\w+)\.(\w+)$/.exec(code.slice(at.start, at.end)) ?? []
  if (row === undefined || field === undefined) return null
  const body = code.slice(start, end)
  const table = new RegExp(`\\bfor\\s+(?:\\w+\\s*,\\s*)${row}\\s*:=\\s*range\\s+(\\w+)\\s*\\{`).exec(body)?.[1]
  if (table === undefined) return null
  const made = new RegExp(`\\b${table}\\s*:?=\\s*\\[\\]struct\\s*\\{`).exec(body)
  if (made === null) return null
  const fields = start + made.index + made[0].length - 1
  const open = code.indexOf('{', (ends[fields] ?? 0) + 1)
  const names = namesIn(code.slice(fields + 1, ends[fields] ?? 0))
  if (open < 0 || names.some((name) => /err|skip|panic/i.test(name))) return null
  const rows = partsBetween(code, { start: open + 1, end: ends[open] ?? 0 }).map((part) => trimmed(code, part))
  for (const each of rows.toReversed()) {
    if (code.charAt(each.start) !== '{') continue
    const cells = partsBetween(code, { start: each.start + 1, end: each.end - 1 }).map((part) => trimmed(code, part))
    const own = cells.find((cell) => new RegExp(`^${field}\\s*:`).test(code.slice(cell.start, cell.end)))
    const isKeyed = cells.some((cell) => /^\w+\s*:(?!=)/.test(code.slice(cell.start, cell.end)))
    const cell = own === undefined ? (isKeyed ? undefined : cells[names.indexOf(field)]) : behindColon(code, own)
    if (cell !== undefined && isLiteral(read, cell)) return cell
  }
  return null
}

const behindColon = (code: string, { start, end }: Part): Part =>
  trimmed(code, { start: start + code.slice(start, end).indexOf(':') + 1, end })

/** Names of the fields of a struct, in their order. */
function namesIn(fields: string): readonly string[] {
  return fields
    .split(/[\n;]/)
    .flatMap((line) => /^\s*((?:\w+\s*,\s*)*\w+)\s+\S/.exec(line)?.[1]?.split(/\s*,\s*/) ?? [])
}

/** True if a part is a literal, or a composite literal of literals. */
function isLiteral({ code, ends }: SourceText, part: Part): boolean {
  const { start, end } = trimmed(code, part)
  const said = code.slice(start, end)
  if (/^(?:-?\d[\w.]*|true|false|"[^"]*"|'[^']*'|`[^`]*`)$/.test(said)) return true
  const open = /^&?(?:\[\w*\]|map\[[\w.*]+\])?[*\w.]*\{/.exec(said)
  return open !== null && ends[start + open[0].length - 1] === end - 1 && !/\bfunc\b/.test(said)
}
