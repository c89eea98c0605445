import { probeLanguage } from './blocks-of.ts'
import type { ProbePlace } from './code-block.ts'

/** Languages in which any function may return nothing. */
const nothing = { javascript: 'undefined', typescript: '(undefined as never)', python: 'None' } as const

/** True if functions of a file can be emptied. */
export function canEmpty(path: string): boolean {
  return nothingOf(path) !== null
}

/**
 * The file with the functions at `places` changed to return nothing, and to do nothing else. Their
 * code stays behind a condition that no linter can evaluate, so that none reports unreachable code.
 */
export function emptyFunctions(path: string, text: string, places: readonly ProbePlace[]): string {
  const value = nothingOf(path)
  if (value === null) return text
  return places
    .toSorted((one, other) => other.at - one.at)
    .reduce((sum, place) => sum.slice(0, place.at) + returned(place, value) + sum.slice(place.at), text)
}

function nothingOf(path: string): string | null {
  const language = probeLanguage(path)
  return language !== null && language in nothing ? nothing[language as keyof typeof nothing] : null
}

function returned(place: ProbePlace, value: string): string {
  if (place.form === 'value') return `!Math.abs(0) ? ${value} : `
  if (place.form === 'line') return `${place.indent}if not abs(0):\n${place.indent}    return ${value}\n`
  return ` if (!Math.abs(0)) return ${value}; `
}
