import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isConstant } from '../vacuous.ts'
import { lineAt, trimmed } from './other-literal.ts'
import type { Expectation } from './spoiling.ts'
import { nearInScript } from './within-tolerance.ts'

const testCall =
  /(?<![\w$.])(?:test|it|specify)\s*\(\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`$\n]*`)\s*,\s*(?:\{[^{}]*\}\s*,\s*)?(?:async\s*)?(?:\([^()\n]*\)\s*=>\s*|[\w$]+\s*=>\s*|function\s*\([^()\n]*\)\s*(?=\{))/g
const claim =
  /(?:await\s+)?(?:(?:(?:assert|t|strict)\s*\.\s*)?(?:equal|equals|strictEqual|deepEqual|deepStrictEqual|assertEquals)|(?:t|assert)\s*\.\s*(?:is|same|eq)|expect)\s*\(/y
const truth = /(?:await\s+)?(?:assert(?:\s*\.\s*ok)?|(?:t|test)\s*\.\s*(?:ok|true|truthy)|ok)\s*\(/y
const matcher =
  /^\s*(?:\.\s*(?:resolves|to|be|deep)\s*)*\.\s*(?:toBe|toEqual|toStrictEqual|toBeCloseTo|toHaveLength|equal|equals|eql)\s*\(/
/** Words that mark an honest test which ends early, or is not meant to pass. */
const excused = /\bskip\b|\btodo\b|\bfails?\b|\bfailing\b|\bexpectFailure\b|\bplatform\b|\benv\b|\bplan\b/

interface Read {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

/** The last expectation of each test. */
export function expectedInScript(path: string, text: string): readonly Expectation[] {
  const code = maskCode(text, syntaxOf(path, text))
  const read = { text, code, ends: bracketEnds(code) }
  return [...code.matchAll(testCall)].flatMap(({ index, 0: head }): readonly Expectation[] => {
    const body = index + head.length
    const call = read.ends[code.indexOf('(', index)] ?? 0
    const isBlock = code.charAt(body) === '{'
    const inside = { start: isBlock ? body + 1 : body, end: isBlock ? (read.ends[body] ?? 0) : call }
    const title = /\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`)/.exec(text.slice(index, body))
    const name = title?.[1] ?? title?.[2] ?? title?.[3] ?? ''
    if (call === 0 || inside.end <= inside.start || name === '' || name.includes('\\')) return []
    if (excused.test(code.slice(index, inside.end))) return []
    const claims = claimsIn(read, inside).flatMap((each) => {
      const value = isLiteral(read, each.at) ? each.at : assigned(read, inside, each.at)
      return value === null ? [] : [{ ...each, at: value }]
    })
    const last = claims.at(-1) ?? claimsIn(read, inside, truthAt).at(-1)
    if (last === undefined) return []
    const isLast = /^[\s;})]*$/.test(code.slice(last.end, inside.end))
    const { end: _, ...found } = last
    return [{ name, line: lineAt(text, last.at.start), test: { start: index, end: inside.end }, isLast, ...found }]
  })
}

/** The expected value of an assertion, and the end of the assertion. */
interface Claim {
  readonly at: Part
  readonly end: number
  /** The replacement of the expected value; another literal where it is left out. */
  readonly made?: string
}

/** The claims about a literal or a name that are directly in a block, or in a `try` of it. */
function claimsIn(read: Read, { start, end }: Part, claimAt: ReadClaim = equalityAt): readonly Claim[] {
  const { code, ends } = read
  const found: Claim[] = []
  for (let at = start; at < end; at += 1) {
    const close = ends[at] ?? 0
    if (close > 0) {
      if (code[at] === '{' && /\btry\s*$/.test(code.slice(Math.max(start, at - 20), at)))
        found.push(...claimsIn(read, { start: at + 1, end: close }, claimAt))
      at = close
      continue
    }
    const expected = beginsStatement(code, { start, end: at }) ? claimAt(read, { start: at, end }) : null
    if (expected !== null) found.push(expected)
  }
  return found
}

/** Whether a statement begins at `end`; its block begins at `start`. */
function beginsStatement(code: string, { start, end: at }: Part): boolean {
  if (!/[adeiost]/.test(code.charAt(at)) || /[\w$.]/.test(code.charAt(at - 1))) return false
  const before = code.slice(Math.max(start, at - 500), at)
  const said = before.trimEnd()
  if (said === '' || said.endsWith(';')) return true
  const line = said.slice(said.lastIndexOf('\n') + 1).trim()
  if (!/\n\s*$/.test(before) || !/[\w$)\]}'"`]$/.test(line)) return false
  return /\breturn$/.test(line) || !/^[}\s]*(?:if|else|for|while|do|switch|case|return)\b|\belse$/.test(line)
}

/** Reads the claim of a statement; the part begins with the statement and ends with its block. */
type ReadClaim = (read: Read, part: Part) => Claim | null

/** The end of a statement. */
const ending = /^[ \t]*(?:;|\r?\n\s*[\w$}]|\}|$|\)$|,?\s*\)$)/

/** An assertion that something is true: its condition is negated, or its literal replaced. */
function truthAt(read: Read, { start, end }: Part): Claim | null {
  const { text, code, ends } = read
  truth.lastIndex = start
  const call = truth.exec(code)?.[0]
  if (call === undefined) return null
  const open = start + call.length - 1
  const close = ends[open] ?? 0
  const [condition] = partsBetween(code, { start: open + 1, end: close })
  if (close === 0 || condition === undefined) return null
  if (!ending.test(code.slice(close + 1, Math.min(end + 1, close + 500)))) return null
  const at = trimmed(code, condition)
  const said = code.slice(at.start, at.end)
  if (isConstant({ text, code }, at) || /=>|\bfunction\b/.test(said)) return null
  const compared = /^[^=!<>&|?]*===?(?!=)(?<expected>[^=!<>&|?]*)$/.exec(said)?.groups?.expected
  const literal = compared === undefined ? null : trimmed(code, { start: at.end - compared.length, end: at.end })
  if (literal !== null && isLiteral(read, literal)) return { at: literal, end: close + 1 }
  return { at, end: close + 1, made: `!(${text.slice(at.start, at.end)})` }
}

function equalityAt(read: Read, { start: at, end }: Part): Claim | null {
  const { code, ends } = read
  claim.lastIndex = at
  const call = claim.exec(code)?.[0]
  if (call === undefined) return null
  const open = at + call.length - 1
  const close = ends[open] ?? 0
  if (close === 0) return null
  const said = partsBetween(code, { start: open + 1, end: close })
  const [actual] = said
  if (actual === undefined || isLiteral(read, actual)) return null
  const chain = /expect\s*\($/.test(call) ? matcher.exec(code.slice(close + 1, end))?.[0] : ''
  if (chain === undefined || (chain === '' && said.length < 2)) return null
  const last = chain === '' ? close : (ends[close + chain.length] ?? 0)
  const expected = chain === '' ? said[1] : partsBetween(code, { start: close + chain.length + 1, end: last })[0]
  const rest = code.slice(last + 1, Math.min(end + 1, last + 500))
  if (expected === undefined || !ending.test(rest)) return null
  if (/toBeCloseTo\s*\($/.test(chain)) {
    const near = nearInScript(read, { start: close + chain.length + 1, end: last })
    return near && { ...near, end: last + 1 }
  }
  const value = trimmed(code, expected)
  const isNamed = /^[A-Za-z_$][\w$]*$/.test(code.slice(value.start, value.end))
  return isLiteral(read, value) || isNamed ? { at: value, end: last + 1 } : null
}

/** The literal of a constant that only the assertion uses. */
function assigned({ text, code, ends }: Read, { start, end }: Part, { start: from, end: to }: Part): Part | null {
  const name = code.slice(from, to)
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return null
  const body = code.slice(start, end)
  const uses = [...body.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g'))]
  if (uses.length !== 2) return null
  const at = start + (uses[0]?.index ?? 0)
  const sign = /^\s*=\s*/.exec(code.slice(at + name.length))?.[0]
  if (sign === undefined || !/(?:const|let|var)\s+$/.test(code.slice(Math.max(start, at - 12), at))) return null
  const value = at + name.length + sign.length
  const close = ends[value] ?? 0
  const long = /^[^\n;]*/.exec(code.slice(value))?.[0].trimEnd().length ?? 0
  const part = { start: value, end: close > 0 ? close + 1 : value + long }
  return /^[ \t]*(?:;|\r?\n)/.test(code.slice(part.end)) && isLiteral({ text, code, ends }, part) ? part : null
}

function isLiteral({ text, code, ends }: Read, part: Part): boolean {
  const { start, end } = trimmed(code, part)
  if (start >= end) return false
  // Keys of an object are names, too.
  if (/[[{]/.test(code.charAt(start))) return ends[start] === end - 1
  return /^[-\d"'`tfnu]/.test(code.slice(start)) && isConstant({ text, code }, { start, end })
}
