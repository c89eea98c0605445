import { bracketEnds } from '../brackets.ts'

/** The position of the opening bracket for each closing one; -1 at other positions. */
export function bracketStarts(code: string): { readonly ends: Int32Array; readonly starts: Int32Array } {
  const ends = bracketEnds(code)
  const starts = new Int32Array(code.length).fill(-1)
  for (const [at, end] of ends.entries()) if (end > 0) starts[end] = at
  return { ends, starts }
}

interface Header {
  readonly from: number
  /** The header's words; brackets are `()`, `[]` or `{}`, without their contents. */
  readonly words: string
}

/** Most characters of a statement. */
const longest = 2_000

/** The ends of statements in a language: characters, and with `byLine` line breaks as well. */
export interface Ends {
  readonly stops: string
  readonly byLine: boolean
}

/** The statement that ends before a position; its lines may break inside of brackets. */
export function headerBefore(
  code: string,
  { starts, at, stops, byLine }: Ends & { readonly starts: Int32Array; readonly at: number },
): Header {
  const words: string[] = []
  let from = at
  let [isBlank, isSameLine] = [true, true]
  for (let i = at - 1; i >= 0 && at - i < longest; i -= 1) {
    const character = code.charAt(i)
    if (character === '\n') isSameLine = false
    const open = starts[i] ?? -1
    // A list of values or a pattern may close before the body begins.
    const isInLine = character === '}' && isSameLine && open >= 0 && !code.slice(open, i).includes('\n')
    if (stops.includes(character) && !isInLine) break
    if (character === '\n' && byLine && !isBlank) break
    if (character === ')' || character === ']' || isInLine) {
      if (open < 0) break
      words.push(`${character}${code.charAt(open)}`)
      i = open
      from = i
      isBlank = false
      continue
    }
    words.push(character)
    if (/\S/.test(character)) {
      isBlank = false
      from = i
    }
  }
  const text = words.map((each) => [...each].toReversed().join('')).toReversed()
  return { from, words: text.join('').replaceAll(/\s+/g, ' ').trim() }
}
