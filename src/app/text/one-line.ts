/**
 * Joins the lines of a text, and removes characters that control a terminal or change the direction
 * of writing.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}
