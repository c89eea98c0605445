import { withoutHidden } from './hidden-characters.ts'
import { capText } from './text.ts'

/**
 * Text of others without escape sequences, which a terminal or a page would obey, and without
 * hidden characters. Capped.
 */
export function plainText(text: string, max: number): string {
  // Avoids processing a long text as a whole.
  const near = text.length > 4 * max ? capText(text, 4 * max) : text
  const plain = near
    .toWellFormed()
    .replace(/\r\n/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
    .replaceAll('\r', '')
  return capText(withoutHidden(plain), max)
}

/** Plain text of others on one line. */
export function plainLine(text: string, max: number): string {
  return plainText(text, max).replace(/\s+/g, ' ').trim()
}
