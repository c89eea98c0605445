import { plainText } from '../plain-text.ts'

/** Marks that nobody sees, and that a model reads: of formats, of variants, and tags. */
const unseen = /\p{Cf}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** Words of a server as people approve them and models get them: all of it can be seen. */
export function withoutUnseen(text: string, max: number): string {
  return plainText(text.replace(unseen, ''), max).trim()
}
