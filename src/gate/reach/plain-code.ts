import { stripTypeScriptTypes } from 'node:module'
import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'

/**
 * The code of a file that runs, with a script's types and Python's documentation blanked. Other
 * files stay unchanged.
 */
export function plainCode(path: string, text: string): string {
  if (/\.py$/i.test(path)) return withoutTexts(path, text)
  if (!/\.[cm]?tsx?$/i.test(path)) return text
  return stripped(text) ?? withoutPlainTypes(path, text)
}

/** Strips types; null for invalid text, markup, and types that generate code, such as an enum. */
function stripped(text: string): string | null {
  try {
    return stripTypeScriptTypes(text)
  } catch {
    return null
  }
}

/** True if the edited text of a script can still be parsed, or the original text could not. */
export function isStillScript(path: string, { was, is }: { readonly was: string; readonly is: string }): boolean {
  return !/\.[cm]?[jt]s$/i.test(path) || stripped(was) === null || stripped(is) !== null
}

/** Blanks strings that are statements. */
function withoutTexts(path: string, text: string): string {
  const code = maskCode(text, syntaxOf(path, text))
  const found = code.matchAll(/^[ \t]*[rbu]?(?:"""\s*"""|'''\s*'''|"[ \t]*"|'[ \t]*')[ \t]*$/gim)
  return blanked(text, [...found])
}

/** Blanks the types before a body, and whole declarations of types. */
function withoutPlainTypes(path: string, text: string): string {
  const code = maskCode(text, syntaxOf(path, text))
  const found = code.matchAll(
    /(?<=\)\s*):[^={}()\n]{1,200}(?=\{|=>)|^[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:interface\b[^{}]*\{[^{}]*\}|type[ \t]+\w[^;={}]*=[^;{}\n]*)/gm,
  )
  return blanked(text, [...found])
}

function blanked(text: string, parts: readonly RegExpExecArray[]): string {
  let [kept, from] = ['', 0]
  for (const { index, 0: part } of parts) {
    kept += text.slice(from, index) + text.slice(index, index + part.length).replaceAll(/[^\n]/g, ' ')
    from = index + part.length
  }
  return kept + text.slice(from)
}
