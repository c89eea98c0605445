import { bracketEnds, type Part, partsBetween } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isConstant } from '../vacuous.ts'
import { isRareText, lineAt, trimmed } from './other-literal.ts'
import { isLiteral, lastCell, namesOfRow, type RowLoop, rowLoops, type SourceText } from './script-tables.ts'
import type { Expectation } from './spoiling.ts'
import { nearInScript } from './within-tolerance.ts'

const testCall =
  /(?<![\w$.])(?:[\w$]+\s*\.\s*)?(?:test|it|specify)\s*\(\s*(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`)\s*,\s*(?:\{[^{}]*\}\s*,\s*)?(?:async\s*)?(?:\([^()\n]*\)\s*=>\s*|[\w$]+\s*=>\s*|function\s*\([^()\n]*\)\s*(?=\{))/g
const claim =
  /(?:await\s+)?(?:(?:(?:assert|t|strict)\s*\.\s*)?(?:equal|equals|strictEqual|deepEqual|deepStrictEqual|assertEquals)|(?:t|assert)\s*\.\s*(?:is|same|eq)|expect)\s*\(/y
const truth = /(?:await\s+)?(?:assert(?:\s*\.\s*ok)?|(?:t|test)\s*\.\s*(?:ok|true|truthy)|ok)\s*\(/y
const matcher =
  /^\s*(?:\.\s*(?:resolves|to|be|deep)\s*)*\.\s*(?:toBe|toEqual|toStrictEqual|toBeCloseTo|toHaveLength|toContain|equal|equals|eql)\s*\(/
/** Words that mark an honest test which ends early, or is not meant to pass. */
const excused = /\bskip\b|\btodo\b|\bfails?\b|\bfailing\b|\bexpectFailure\b|\bplatform\b|\benv\b|\bplan\b/

/** The last expectation of each test, including subtests and rows of tables. */
export function expectedInScript(path: string, text: string): readonly Expectation[] {
  const code = maskCode(text, syntaxOf(path, text))
  const read = { text, code, ends: bracketEnds(code) }
  const loops = rowLoops(read)
  const calls = [...code.matchAll(testCall)].map(({ index, 0: head }): Call => {
    const body = index + head.length
    const isBlock = code.charAt(body) === '{'
    const end = read.ends[code.indexOf('(', index)] ?? 0
    const inside = { start: isBlock ? body + 1 : body, end: isBlock ? (read.ends[body] ?? 0) : end }
    return { start: index, end, inside, loop: loops.find(({ each, body: own }) => each === null && isIn(inside, own)) }
  })
  const rows = loops.flatMap((loop): readonly Call[] => {
    if (loop.each === null) return []
    return [{ start: loop.each, end: read.ends[loop.each] ?? 0, inside: loop.body, loop }]
  })
  const all = [...calls, ...rows]
  const isExcused = ({ start, inside }: Call) => excused.test(code.slice(start, inside.end))
  const left = all.filter((call) => !isExcused(call) && !all.some((each) => isIn(call, each) && isExcused(each)))
  const found = left.flatMap((call) => lastOf(read, loops, call) ?? [])
  // A test that fails itself says nothing about its subtests.
  return found.filter(({ test }) => !found.some((each) => each.test !== test && isIn(test, each.test)))
}

/** A call that declares a test. */
interface Call extends Part {
  /** The code of the test. */
  readonly inside: Part
  /** The loop that declares the test for each row of a table. */
  readonly loop: RowLoop | undefined
}

const isIn = (part: Part, whole: Part) => whole.start <= part.start && part.end <= whole.end

function lastOf(read: SourceText, loops: readonly RowLoop[], { start, end, inside, loop }: Call): Expectation | null {
  const { text, code } = read
  const title = /\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`\n]*)`)/.exec(text.slice(start, inside.start))
  const name = title?.[1] ?? title?.[2] ?? title?.[3] ?? ''
  if (end === 0 || inside.end <= inside.start || name === '' || name.includes('\\')) return null
  const isOfRows = loop !== undefined && (loop.each !== null || (title?.[3]?.includes('${') ?? false))
  if (title?.[3]?.includes('${') && !isOfRows) return null
  const claims = claimsIn(read, inside).flatMap((each): readonly PatternMatch[] => {
    if (isOfRows) return ofRow(read, each, { loop, name })
    const value = isLiteral(read, each.at) ? each.at : assigned(read, inside, each.at)
    return value === null ? ofRow(read, each, { loop, name: null }) : [{ ...each, at: value }]
  })
  for (const own of isOfRows ? [] : loops.filter(({ each, body }) => each === null && isIn(body, inside)))
    claims.push(...claimsIn(read, own.body).flatMap((each) => ofRow(read, each, { loop: own, name: null })))
  const last =
    claims.toSorted((a, b) => a.end - b.end).at(-1) ??
    (isOfRows ? undefined : (claimsIn(read, inside, truthAt).at(-1) ?? claimsIn(read, inside, errorAt).at(-1)))
  if (last === undefined) return null
  const isLast = /^[\s;})]*$/.test(code.slice(last.end, inside.end))
  const { end: _, ...found } = last
  return { name, line: lineAt(text, last.at.start), test: { start, end: inside.end }, isLast, ...found }
}

interface PatternMatch extends Claim {
  readonly pattern?: string
}

/** The claim about a value in the last row of a table, if nothing else uses that value. */
function ofRow(
  read: SourceText,
  found: Claim,
  { loop, name }: { readonly loop: RowLoop | undefined; readonly name: string | null },
): readonly PatternMatch[] {
  const { code } = read
  const expected = code.slice(found.at.start, found.at.end)
  if (loop === undefined || !/^[A-Za-z_$][\w$]*(?:\.[\w$]+)?$/.test(expected)) return []
  // A row for which the code branches may expect something else.
  if (/\b(?:if|continue|break|switch)\b/.test(code.slice(loop.body.start, found.at.start))) return []
  const whole = code.slice(loop.body.start, loop.body.end)
  // The title of a test may name the value as well.
  const body = name === null ? whole : whole.replace(/`[^`\n]*`/, '')
  const [row = ''] = expected.split('.')
  const uses = body.match(new RegExp(`(?<![\\w$.])${row.replaceAll('$', '\\$')}(?![\\w$])(?:\\.[\\w$]+)?`, 'g')) ?? []
  if (uses.filter((each) => each === expected || each === row).length !== 1) return []
  const cell = lastCell(read, loop, expected)
  if (cell === null) return []
  const pattern = name === null ? undefined : namesOfRow(read, loop, name, cell)
  return pattern === null ? [] : [{ ...found, at: cell.at, ...(pattern !== undefined && { pattern }) }]
}

/** The expected value of an assertion, and the assertion's end. */
interface Claim {
  readonly at: Part
  readonly end: number
  /** The replacement of the expected value; another literal where it is left out. */
  readonly made?: string
}

/** The claims about a literal or a name that are directly in a block, or in a `try` inside it. */
function claimsIn(read: SourceText, { start, end }: Part, claimAt: ReadClaim = equalityAt): readonly Claim[] {
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

/** True if a statement begins at `end`; its block begins at `start`. */
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
type ReadClaim = (read: SourceText, part: Part) => Claim | null

/** The end of a statement. */
const ending = /^[ \t]*(?:;|\r?\n\s*[\w$}]|\}|$|\)$|,?\s*\)$)/

/** An assertion of truth: the condition is negated, or the literal replaced. */
function truthAt(read: SourceText, { start, end }: Part): Claim | null {
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
  const held = containedIn(read, at)
  if (held !== null) return { at: held, end: close + 1 }
  const compared = /^[^=!<>&|?]*===?(?!=)(?<expected>[^=!<>&|?]*)$/.exec(said)?.groups?.expected
  const literal = compared === undefined ? null : trimmed(code, { start: at.end - compared.length, end: at.end })
  if (literal !== null && isLiteral(read, literal)) return { at: literal, end: close + 1 }
  return { at, end: close + 1, made: `!(${text.slice(at.start, at.end)})` }
}

const throwing = /(?:await\s+)?assert\s*\.\s*(?<what>throws|rejects)\s*\(|expect\s*\(/y
/**
 * An assertion of a class of errors: the called function throws an error of another class instead.
 */
function errorAt({ code, ends }: SourceText, { start, end }: Part): Claim | null {
  throwing.lastIndex = start
  const call = throwing.exec(code)
  if (call === null) return null
  const open = start + call[0].length - 1
  const close = ends[open] ?? 0
  if (close === 0) return null
  const [called, ...more] = partsBetween(code, { start: open + 1, end: close })
  const chain = /^\s*\.\s*toThrow(?:Error)?\s*\(/.exec(code.slice(close + 1, end))?.[0]
  if (called === undefined || (call.groups?.what === undefined) !== (chain !== undefined)) return null
  const last = chain === undefined ? close : (ends[close + chain.length] ?? 0)
  const wanted = chain === undefined ? more[0] : partsBetween(code, { start: close + chain.length + 1, end: last })[0]
  const name = wanted === undefined ? '' : code.slice(wanted.start, wanted.end).trim()
  if (!/^[A-Za-z_$][\w$]*(?:\.[\w$]+)*$/.test(name) || name === 'Error') return null
  if (!ending.test(code.slice(last + 1, Math.min(end + 1, last + 500)))) return null
  const at = trimmed(code, called)
  const another = 'new (class extends Error {})()'
  const made = call.groups?.what === 'rejects' ? `Promise.reject(${another})` : `() => { throw ${another} }`
  return { at, end: last + 1, made }
}

/** The text that a condition asks for in a value: `names.includes('median')`. */
function containedIn({ text, code, ends }: SourceText, { start, end }: Part): Part | null {
  const call = /^[^=!<>&|?]*\.\s*(?:includes|has|startsWith|endsWith)\s*\(/.exec(code.slice(start, end))?.[0]
  if (call === undefined || ends[start + call.length - 1] !== end - 1) return null
  const [asked, ...more] = partsBetween(code, { start: start + call.length, end: end - 1 })
  if (asked === undefined || more.length > 0) return null
  const at = trimmed(code, asked)
  return isRareText(text.slice(at.start, at.end)) ? at : null
}

function equalityAt(read: SourceText, { start: at, end }: Part): Claim | null {
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
  if (/toContain\s*\($/.test(chain) && !isRareText(read.text.slice(value.start, value.end))) return null
  const isNamed = /^[A-Za-z_$][\w$]*(?:\.[\w$]+)?$/.test(code.slice(value.start, value.end))
  return isLiteral(read, value) || isNamed ? { at: value, end: last + 1 } : null
}

/** The literal of a constant that only the assertion uses. */
function assigned({ text, code, ends }: SourceText, { start, end }: Part, { start: from, end: to }: Part): Part | null {
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
