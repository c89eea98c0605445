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
 * stay, in their order, and no new one can end it, or change what the others do.
 */
export function addsOnlyAssertions(before: string, after: string, path: string): boolean {
  if (!isTestFile(path) || syntaxOf(path, before).language !== 'shell') return false
  if (countAssertions(before, path) === 0) return false
  const added = linesAdded(before.split('\n'), after.split('\n'))
  return added?.every((line) => isHarmless(line, before)) === true
}

/** null when a line is gone, or has gone elsewhere. */
function linesAdded(before: readonly string[], after: readonly string[]): readonly string[] | null {
  const added: string[] = []
  let at = 0
  for (const line of after) {
    if (at < before.length && line === before[at]) at += 1
    else added.push(line)
  }
  return at === before.length ? added : null
}

const blank = /^\s*(?:#.*)?$/
const message = /^\s*(?:echo|printf)\s/
const assigned = /^\s*(?:local\s+)?([a-z]\w*)=/
const asserted = /^\s*(?:!\s*)?(?:\[{1,2}\s|test\s|grep\s|diff\s|cmp\s|\(\(\s|assert\w*\s)/
/** It ends the script as green, reads what follows as a text, or changes how it is run. */
const escaping =
  /\b(?:exit|return)\b(?!\s+[1-9])|<<|\b(?:set|trap|exec|kill|eval|alias|unset|source|shopt)\s|[^|&]&\s*$|\\$/

function isHarmless(line: string, before: string): boolean {
  if (blank.test(line)) return true
  if (escaping.test(line)) return false
  const name = assigned.exec(line)?.[1]
  if (name !== undefined) return !isCounted(name, before)
  return asserted.test(line) || message.test(line) || isKnownCall(line, before)
}

/** The script's end depends on it. */
function isCounted(name: string, before: string): boolean {
  return new RegExp(`^.*(?:\\bexit\\b|\\(\\().*\\b${name}\\b|\\b${name}\\b.*\\)\\)`, 'm').test(before)
}

/** A call, with arguments, of a function that the script has. */
function isKnownCall(line: string, before: string): boolean {
  const name = /^\s*([a-z]\w*)\s+\S/.exec(line)?.[1]
  return name !== undefined && new RegExp(`^[ \\t]*(?:function[ \\t]+)?${name}[ \\t]*\\(\\)`, 'm').test(before)
}
