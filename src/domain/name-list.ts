import { limits } from './limits.ts'

/**
 * The first names, as many as fit, and the number of the others, so that the content of a change
 * does not decide the length of a text about it.
 */
export function fewNames(names: readonly string[], all = names.length): readonly string[] {
  const shown = names.slice(0, limits.report.names).map(oneName)
  const more = all - shown.length
  return more === 0 ? shown : [...shown, `and ${more.toLocaleString('en-US')} more`]
}

/** The names, one per line. */
export function nameList(names: readonly string[]): string {
  return fewNames(names)
    .map((name) => `- ${name}`)
    .join('\n')
}

/** A name on one line, whatever its characters. */
function oneName(name: string): string {
  const most = limits.report.nameChars
  const shown = name.length <= most ? name : `${name.slice(0, most / 2)}…${name.slice(-most / 2)}`
  return shown.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, (char) => `\\u${hex(char)}`)
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16).padStart(4, '0')
}
