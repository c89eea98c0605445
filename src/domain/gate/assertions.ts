import {
  callsOf,
  callsOn,
  memberCalls,
  receiversOf,
  skipsOf,
  subjectCalls,
  wholeCalls,
  wholeCallsOf,
  wordsOf,
} from './assertion-patterns.ts'
import { bracketEnds, type Part, partsBetween } from './brackets.ts'
import { type Language, syntaxOf } from './code-syntax.ts'
import { maskCode } from './mask-code.ts'
import { isConstant, isSame, isVacuous, type ReadCode } from './vacuous.ts'

/**
 * The number of assertions in a test file, in the language of its path. Assertions in comments and
 * strings do not count, nor do calls that only name a value or hold whatever the code does.
 */
export function countAssertions(text: string, path = ''): number {
  return assertionPlaces(text, path).length
}

/** Start positions of the assertions in a test file, unordered. */
export function assertionPlaces(text: string, path = ''): readonly number[] {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  const read = { text, code, language: syntax.language, ends: bracketEnds(code) }
  // The key is the bracket, since several patterns may match the same call.
  const counted = new Map<number, number>()
  for (const { index, 0: call } of code.matchAll(subjectCalls))
    if (isClaim(read, { at: index, name: nameOf(call), open: index + call.length - 1 }))
      counted.set(index + call.length, index)
  const whole = [wholeCalls, wholeCallsOf[syntax.language] ?? [], ...ownCalls(read)].flat()
  for (const { index, 0: call } of whole.flatMap((calls) => [...code.matchAll(calls)]))
    if (
      !(syntax.language === 'python' && nameOf(call) === 'assert') &&
      isWhole(read, { at: index, name: nameOf(call), open: index + call.length - 1 })
    )
      counted.set(index + call.length, index)
  if (syntax.language !== 'rust' && syntax.language !== 'go')
    for (const { index, 0: call } of code.matchAll(memberCalls)) counted.set(index + call.length, index)
  return [...counted.values(), ...wordPlaces(read)]
}

/** Calls by the file's own names for an assertion library. */
function ownCalls({ text, code, language }: SourceText): readonly RegExp[] {
  const named = [...code.matchAll(receiversOf[language] ?? none)].flatMap(({ groups = {} }) => Object.values(groups))
  const receivers = distinct(named)
  const taken = language === 'script' ? distinct([...text.matchAll(imports)].flatMap(namesTaken)) : []
  return [
    ...(receivers.length > 0 ? [callsOn(receivers, language)] : []),
    ...(taken.length > 0 ? [callsOf(taken)] : []),
  ]
}

const none = /(?!)/g

/** The number of names is capped: no honest file has more. */
const distinct = (names: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(names)].filter((name) => name !== undefined).slice(0, 40)

/** Imports of Node's own assertion library. */
const imports =
  /\b(?:import\s+([^'";]{1,500}?)\s+from|(?:const|let|var)\s+([^=;]{1,500}?)\s*=\s*require\s*\()\s*['"](?:node:)?assert(?:\/strict)?['"]/g

/**
 * `{ equal, ok as fine }`, `{ equal: same }`, `check`, `* as check`; `assert` itself is known
 * already.
 */
function namesTaken([, imported, required]: readonly (string | undefined)[]): readonly string[] {
  const said = (imported ?? required ?? '').replace(/\{|\}/g, ',')
  const names = said.split(',').map((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? '')
  return names.filter((name) => name !== '' && !/^(?:assert|AssertionError|type)/.test(name))
}

/** The number of tests that a file switches off, or marks as the only ones. */
export function countSkips(text: string, path = ''): number {
  return skipsIn(text, path).length
}

/** The places where a file switches tests off, with the words; ordered by kind. */
export function skipsIn(text: string, path = ''): readonly { readonly at: number; readonly words: string }[] {
  const syntax = syntaxOf(path, text)
  const found = (code: string, pattern: RegExp) =>
    [...code.matchAll(pattern)].map(({ index, 0: words }) => ({ at: index, words }))
  const skips = found(maskCode(text, syntax), skipsOf[syntax.language])
  // Build constraints of Go are comments, which are masked above.
  return syntax.language === 'go' ? [...skips, ...found(text, /^\/\/[ \t]*(?:go:build|\+build)\b/gm)] : skips
}

interface SourceText extends ReadCode {
  readonly language: Language
  readonly ends: Int32Array
}

interface Call {
  readonly at: number
  readonly name: string
  /** Position of the opening bracket. */
  readonly open: number
}

const nameOf = (call: string): string => /^[^\s<(]+/.exec(call)?.[0] ?? ''

const definition = /(?:\b|#\s{0,4})(?:define|function\*?|def|defp|defmacro|fn|func|fun|sub|void)\s+(?:\([^()]*\)\s*)?$/
const receiver = /(\w*)(?:\(\))?(?:\.|->|::)\s*$/
const own: ReadonlySet<string> = new Set(['this', 'self', 'static', 'parent', 'cls', 'super', 'testing', 'Assertions'])

/** True if a claim follows the value and can fail. */
function isClaim({ code, text, ends, language }: SourceText, { at, name, open }: Call): boolean {
  const before = code.slice(Math.max(0, at - 60), at)
  if (definition.test(before) || /\.\s*$/.test(before)) return false
  const close = ends[open] || null
  if (close === null) return true
  const said: Part = { start: open + 1, end: close }
  const chain = /(?:\s*(?:[?!]?\.|->)\s*[\w$]+)+/y
  chain.lastIndex = close + 1
  if (!chain.test(code)) {
    const takesTwo = language === 'c-like' || (name !== 'expect' && name !== 'verify')
    return takesTwo && partsBetween(code, said).length > 1 && !isVacuous({ text, code }, said)
  }
  const read = { text, code }
  const bracket = chain.lastIndex
  const expected: Part = { start: bracket + 1, end: (code[bracket] === '(' && ends[bracket]) || bracket + 1 }
  if (isConstant(read, said) && isConstant(read, expected)) return name === 'verify' || name === 'expectTypeOf'
  return /not/i.test(code.slice(close, bracket)) || !isSame(read, said, expected)
}

/** True if the claim between the brackets of a call can fail. */
function isWhole({ code, text, ends }: SourceText, { at, name, open }: Call): boolean {
  const before = code.slice(Math.max(0, at - 60), at)
  if (definition.test(before)) return false
  const of = receiver.exec(before)?.[1]
  // `expect.assertions(n)` announces a number and asserts nothing.
  if (of === 'expect') return /^(?:fail|unreachable)$/.test(name)
  // Another object's methods count only if their names assert.
  if (of !== undefined && !own.has(of)) return /^(?:assert|refute|expectException)/i.test(name)
  const close = ends[open] || null
  if (close === null || /fail|fatal|error|unreachable|exception|unwrap/i.test(name)) return true
  const said: Part = { start: open + 1, end: close }
  if (code.slice(said.start, said.end).trim() === '')
    return !/^(?:assert|refute)(?:\.ok|True|False|_true|_false)?!?$/.test(name)
  const [first, second] = partsBetween(code, said)
  const isUnequal = /not|refute|_ne\b|_NE\b|differ/i.test(name)
  if (isUnequal && first && second && isSame({ text, code }, first, second)) return true
  return !isVacuous({ text, code }, said)
}

function wordPlaces(read: SourceText): readonly number[] {
  const pattern = wordsOf[read.language]
  if (pattern === null) return []
  return [...read.code.matchAll(pattern)].flatMap(({ index, 0: word, groups }) =>
    groups?.said === undefined || canFail(read, index + word.length) ? [index + word.search(/\S/)] : [],
  )
}

/** True if the rest of a line can fail. In Python a tuple never does. */
function canFail({ text, code, ends, language }: SourceText, start: number): boolean {
  const line = code.indexOf('\n', start)
  const end = line < 0 ? code.length : line
  const open = start + (/^[ \t]*/.exec(code.slice(start, start + 200))?.[0].length ?? 0)
  const close = (code[open] === '(' && ends[open]) || null
  if (close !== null && (close >= end || /^[ \t]*;?[ \t]*$/.test(code.slice(close + 1, end)))) {
    const said = { start: open + 1, end: close }
    const isTuple = language === 'python' && close - open < 300 && partsBetween(code, said).length > 1
    return !isTuple && !isVacuous({ text, code }, said)
  }
  // The statement continues on the next lines.
  const left = /[([{]/.exec(code.slice(start, Math.min(end, start + 300)))
  if (left !== null && (ends[start + left.index] ?? 0) > end) return true
  return !isVacuous({ text, code }, { start, end: code.charAt(end - 1) === ';' ? end - 1 : end })
}
