import { isTestFile } from '../story/plan.ts'
import { countAssertions } from './assertions.ts'
import { syntaxOf } from './code-syntax.ts'
import { declaredTests } from './declared-tests.ts'
import { maskCode } from './mask-code.ts'

/**
 * True if a test file declares tests that a framework finds and runs. A script that itself calls
 * functions named like tests is a runner for other tests.
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

/** Names of test functions; bare `test` and `tests` may be commands. */
const isSpecific = /^test(?:_\w|[A-Z\d])/

/** A function name completed by an argument, or an argument that is run as a command. */
const dispatch = /\btest_?\$|^[ \t]*"?\$(?:[@*1]|\{[@*1]\})/m

function isCalled(code: string, name: string): boolean {
  return [...code.matchAll(new RegExp(`(?<![\\w$])${name}(?!\\w)`, 'g'))].length > 1
}

/**
 * True if a change only adds assertions to a shell script that has some: all old lines stay in
 * order, and no new line can end the script as green, or change the effect of the others.
 */
export function addsOnlyAssertions(before: string, after: string, path: string): boolean {
  const syntax = syntaxOf(path, before)
  if (!isTestFile(path) || syntax.language !== 'shell' || countAssertions(before, path) === 0) return false
  const added = runsAdded(before.split('\n'), after.split('\n'))
  return added?.every((run) => isHarmless(maskCode(run, syntax), before)) === true
}

/** Runs of added lines, each as one text; null if an old line is gone or has moved. */
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

/** Code that ends the script as green, swallows later lines as text, or changes their execution. */
const escaping =
  /\b(?:exit|return)\b(?!\s+[1-9])|<<|(?:^|[\s;&|])(?:set|trap|exec|kill|eval|alias|unset|source|shopt|\.)\s|[^|&]&\s*$|\\$/m

function isHarmless(code: string, before: string): boolean {
  if (escaping.test(code) || !isClosed(code)) return false
  const parts = code.split(/\n|&&|\|\||[;{}]|(?<!\S)(?:then|else|fi)(?!\S)/)
  return parts.every((part) => isHarmlessPart(part.trim().replace(/^(?:if\s+|elif\s+|!\s+)+/, ''), before))
}

/** True if the code closes all brackets and quotes, so that it does not swallow later lines. */
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

/** True if the script's exit code depends on a variable. */
function isCounted(name: string, before: string): boolean {
  return new RegExp(`^.*(?:\\bexit\\b|\\(\\().*\\b${name}\\b|\\b${name}\\b.*\\)\\)`, 'm').test(before)
}

/** True if a part calls a function of the old script with arguments. */
function isKnownCall(part: string, before: string): boolean {
  const name = /^([a-z]\w*)\s+\S/.exec(part)?.[1]
  return name !== undefined && new RegExp(`^[ \\t]*(?:function[ \\t]+)?${name}[ \\t]*\\(\\)`, 'm').test(before)
}
