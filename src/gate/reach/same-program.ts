import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'
import { isSameTokens, renamesIn, tokensOf } from '../../domain/gate/reach/same-code.ts'
import { linesOf } from '../assurance/hunks.ts'

/** Whether two texts of a program differ in comments and layout alone. */
export function isSameProgram(path: string, before: string, after: string): boolean {
  return before === after || isSameTokens({ before: wordsOf(path, before), after: wordsOf(path, after) }, new Map())
}

/** Whether they differ in names of variables at most, apart from comments and layout. */
export function isRenamedProgram(path: string, before: string, after: string): boolean {
  const both = { before: wordsOf(path, before), after: wordsOf(path, after) }
  return isSameTokens(both, renamesIn([both], both))
}

/** Tokens without comments; text that goes on over lines, and Python, keep their layout. */
function wordsOf(path: string, text: string): readonly string[] {
  const syntax = syntaxOf(path, text)
  const { code } = linesOf(path, text)
  const masked = maskCode(text, syntax).split('\n')
  const isLaidOut = syntax.language === 'python' || masked.some((line) => (line.split('`').length - 1) % 2 === 1)
  if (isLaidOut) return code.map((line) => line.trimEnd()).filter((line) => line !== '')
  return tokensOf(code, syntax)
}
