import type { Json } from './json.ts'

const names = { nul: 'a NUL character', half: 'half of a surrogate pair' }

/**
 * Finds a character that no file and no program accepts, and names its place in a sentence without
 * its end; null without one. A path is written like `edits.0.new`.
 */
export function badCharacterIn(value: Json, path: readonly string[] = []): string | null {
  if (typeof value === 'string') {
    const what = value.includes('\0') ? names.nul : value.isWellFormed() ? null : names.half
    return what && `\`${path.join('.') || 'input'}\` has ${what}`
  }
  if (value === null || typeof value !== 'object') return null
  for (const [key, each] of Object.entries(value)) {
    const found = badCharacterIn(key, [...path, 'a name']) ?? badCharacterIn(each, [...path, key])
    if (found !== null) return found
  }
  return null
}
