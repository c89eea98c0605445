/**
 * Unpredictable values: each call draws a new one. A seed always draws the same values in the same
 * order.
 */
export interface DrawnValues {
  /** A whole number of at least 0 and less than `below`. */
  below(below: number): number
  /** A whole number of two to four digits. */
  number(): number
  /** Five to nine lower-case letters. */
  word(): string
}

export function drawnValues(seed: string): DrawnValues {
  let state = 0x811c9dc5
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  const letter = () => String.fromCodePoint(97 + below(26))
  return {
    below,
    number: () => 10 + below(9_000),
    word: () => Array.from({ length: 5 + below(5) }, letter).join(''),
  }
}
