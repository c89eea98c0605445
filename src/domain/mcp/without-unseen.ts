import { plainText } from '../plain-text.ts'

/** Invisible characters that a model reads: format characters, variation selectors and tags. */
const unseen = /\p{Cf}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** A server's text as people approve it and models get it: all of it is visible. */
export function withoutUnseen(text: string, max: number): string {
  return plainText(text.replace(unseen, ''), max).trim()
}
