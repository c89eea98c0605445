import { isTestFile } from '../story/plan.ts'
import { countAssertions } from './assertions.ts'
import { syntaxOf } from './code-syntax.ts'
import { declaredTests } from './declared-tests.ts'
import { maskCode } from './mask-code.ts'

/**
 * Whether a test file declares tests that a framework finds and runs. A script that calls the
 * functions itself which are called as tests are runs the tests of others.
 */
export function declaresOwnTests(text: string, path: string): boolean {
  if (!isTestFile(path)) return false
  const tests = declaredTests(text, path)
  const syntax = syntaxOf(path, text)
  if (tests.length === 0) return false
  if (syntax.language !== 'shell' && syntax.language !== 'python') return true
  if (syntax.language === 'shell' && (dispatch.test(text) || countAssertions(text, path) === 0)) return false
  const code = maskCode(text, syntax)
  return tests.every(({ at }) => {
    const name = functionAt.exec(code.slice(at, at + mostChars))?.[1]
    return name === undefined || (isSpecific.test(name) && !isCalled(code, name))
  })
}

const functionAt = /^[ \t]*(?:(?:function|(?:async[ \t]+)?def)[ \t]+)?(test\w*)[ \t]*\(/
const mostChars = 300

/** `test` and `tests` are names of commands. */
const isSpecific = /^test(?:_\w|[A-Z\d])/

/** A name that an argument completes, or an argument that is run. */
const dispatch = /\btest_?\$|^[ \t]*"?\$(?:[@*1]|\{[@*1]\})/m

function isCalled(code: string, name: string): boolean {
  return [...code.matchAll(new RegExp(`(?<![\\w$])${name}(?!\\w)`, 'g'))].length > 1
}

/**
 * Whether a change only adds assertions to a script of the shell that asserts: all of its lines
 * stay, in their order, and no new one can end it as green, or change what the others do.
 */
export function addsOnlyAssertions(before: string, after: string, path: string): boolean {
  const syntax = syntaxOf(path, before)
  if (!isTestFile(path) || syntax.language !== 'shell' || countAssertions(before, path) === 0) return false
  const added = runsAdded(before.split('\n'), after.split('\n'))
  return added?.every((run) => isHarmless(maskCode(run, syntax), before)) === true
}

/** Lines that stand together, as one text; null when a line is gone, or has gone elsewhere. */
function runsAdded(before: readonly string[], after: readonly string[]): readonly string[] | null {
  const runs: string[][] = [[]]
  let at = 0
  for (const line of after) {
    if (at < before.length && line === before[at]) {
      at += 1
      runs.push([])
    } else runs.at(-1)?.push(line)
  }
  return at === before.length ? runs.map((run) => run.join('\n')) : null
}

/** Ends the script as green, takes what follows as a text, or changes how it is run. */
const escaping =
  /\b(?:exit|return)\b(?!\s+[1-9])|<<|(?:^|[\s;&|])(?:set|trap|exec|kill|eval|alias|unset|source|shopt|\.)\s|[^|&]&\s*$|\\$/m

function isHarmless(code: string, before: string): boolean {
  if (escaping.test(code) || !isClosed(code)) return false
  const parts = code.split(/\n|&&|\|\||[;{}]|(?<!\S)(?:then|else|fi)(?!\S)/)
  return parts.every((part) => isHarmlessPart(part.trim().replace(/^(?:if\s+|elif\s+|!\s+)+/, ''), before))
}

/** Whatever it opens it closes, so that no line after it is a part of it. */
function isClosed(code: string): boolean {
  const count = (each: RegExp) => code.match(each)?.length ?? 0
  const isPaired = [/"/g, /'/g, /`/g].every((quote) => count(quote) % 2 === 0)
  const isBalanced = ([open, close]: readonly [RegExp, RegExp]) => count(open) === count(close)
  return isPaired && pairs.every(isBalanced)
}

const pairs = [
  [/\(/g, /\)/g],
  [/\{/g, /\}/g],
  [/(?<!\S)if(?!\S)/g, /(?<!\S)fi(?![^\s;])/g],
] as const

const harmless = [
  /^$/,
  /^(?:echo|printf)\s/,
  /^(?:exit|return)\s+[1-9]\d*$/,
  /^false$/,
  /^(?:\[{1,2}\s|test\s|grep\s|diff\s|cmp\s|\(\(\s|assert\w*\s)/,
  /\|\s*(?:grep|diff|cmp)\s/,
  /^(\w+)=\$\(\(\s*\$?\1\s*\+\s*\d+\s*\)\)$/,
]

function isHarmlessPart(part: string, before: string): boolean {
  if (harmless.some((each) => each.test(part))) return true
  const name = /^(?:local\s+)?([a-z]\w*)=/.exec(part)?.[1]
  return name === undefined ? isKnownCall(part, before) : !isCounted(name, before)
}

/** The script's end depends on it. */
function isCounted(name: string, before: string): boolean {
  return new RegExp(`^.*(?:\\bexit\\b|\\(\\().*\\b${name}\\b|\\b${name}\\b.*\\)\\)`, 'm').test(before)
}

/** A call, with arguments, of a function that the script has. */
function isKnownCall(part: string, before: string): boolean {
  const name = /^([a-z]\w*)\s+\S/.exec(part)?.[1]
  return name !== undefined && new RegExp(`^[ \\t]*(?:function[ \\t]+)?${name}[ \\t]*\\(\\)`, 'm').test(before)
}
