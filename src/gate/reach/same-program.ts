import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'
import { isSameTokens, renamesIn, tokensOf } from '../../domain/gate/reach/same-code.ts'
import { linesOf } from '../assurance/hunks.ts'

/** True if two texts of a program differ only in comments and layout. */
export function isSameProgram(path: string, before: string, after: string): boolean {
  return before === after || isSameTokens({ before: wordsOf(path, before), after: wordsOf(path, after) }, new Map())
}

/** True if two texts of a program differ only in names of variables, comments and layout. */
export function isRenamedProgram(path: string, before: string, after: string): boolean {
  const both = { before: wordsOf(path, before), after: wordsOf(path, after) }
  return isSameTokens(both, renamesIn([both], both))
}

/** Tokens without comments; a text that continues over several lines keeps its layout. */
function wordsOf(path: string, text: string): readonly string[] {
  const syntax = syntaxOf(path, text)
  const { code } = linesOf(path, text)
  const masked = maskCode(text, syntax)
  if (syntax.language === 'python') return wordsOfPython(code, masked.split('\n'))
  const isLaidOut = masked.split('\n').some((line) => (line.split('`').length - 1) % 2 === 1)
  return isLaidOut ? code.map((line) => line.trimEnd()).filter((line) => line !== '') : tokensOf(code, syntax)
}

/**
 * Lines in brackets or after a backslash continue the line before; all others keep their
 * indentation. A line of a long string is one word.
 */
function wordsOfPython(code: readonly string[], masked: readonly string[]): readonly string[] {
  const words: string[] = []
  let joined: string[] = []
  let [depth, isLong, goesOn] = [0, false, false]
  const flush = () => {
    const [first] = joined
    if (first !== undefined) words.push(`\n${/^[ \t]*/.exec(first)?.[0]}`, ...tokensOf(joined, { language: 'python' }))
    joined = []
  }
  for (const [i, line] of code.entries()) {
    const own = masked[i] ?? ''
    const isEdge = (own.match(/"""|'''/g)?.length ?? 0) % 2 === 1
    if (depth === 0 && !goesOn && !isLong) flush()
    if (isLong || isEdge) {
      flush()
      words.push(line)
    } else if (line.trim() !== '') joined.push(line.replace(/\\\s*$/, ''))
    if (isEdge) isLong = !isLong
    goesOn = /\\\s*$/.test(own)
    for (const each of own) depth += '([{'.includes(each) ? 1 : ')]}'.includes(each) ? -1 : 0
  }
  flush()
  return words
}
