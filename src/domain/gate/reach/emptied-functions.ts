import { probeLanguage } from './blocks-of.ts'
import type { ProbePlace } from './code-block.ts'

/** Languages in which a function may always return nothing. */
const nothing = { javascript: 'undefined', typescript: '(undefined as never)', python: 'None' } as const

/** Whether functions of a file can be emptied. */
export function canEmpty(path: string): boolean {
  return nothingOf(path) !== null
}

/**
 * A file of code in which the functions with their probes at `places` return nothing, and do
 * nothing else. Their code stays where it is, behind a condition that no linter can work out: none
 * finds code that is never reached.
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
