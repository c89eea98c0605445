import { withoutHidden } from './hidden-characters.ts'
import { capText } from './text.ts'

/**
 * Words of others without what a terminal or a page would obey, and what no reader sees: escape
 * sequences, and hidden characters. Capped.
 */
export function plainText(text: string, max: number): string {
  // Longer texts are not looked at whole.
  const near = text.length > 4 * max ? capText(text, 4 * max) : text
  const plain = near
    .toWellFormed()
    .replace(/\r\n/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
    .replaceAll('\r', '')
  return capText(withoutHidden(plain), max)
}

/** The same on one line. */
export function plainLine(text: string, max: number): string {
  return plainText(text, max).replace(/\s+/g, ' ').trim()
}
