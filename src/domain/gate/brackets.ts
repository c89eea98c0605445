const [round, roundEnd, square, squareEnd, curly, curlyEnd] = [40, 41, 91, 93, 123, 125]

/**
 * For each position of a code without strings and comments, the end of the bracket that opens
 * there. 0 when no bracket opens there, or when none of its kind closes it.
 */
export function bracketEnds(code: string): Int32Array {
  const ends = new Int32Array(code.length)
  const open = new Int32Array(code.length)
  let depth = 0
  for (let at = 0; at < code.length; at += 1) {
    const character = code.charCodeAt(at)
    if (character === round || character === square || character === curly) open[depth++] = at
    else if (depth > 0 && (character === roundEnd || character === squareEnd || character === curlyEnd)) {
      const start = open[--depth] ?? 0
      if (character - code.charCodeAt(start) <= 2) ends[start] = at
    }
  }
  return ends
}

export interface Part {
  readonly start: number
  readonly end: number
}

/** The parts between commas that stand in no bracket of their own; none of a blank. */
export function partsBetween(code: string, { start, end }: Part): readonly Part[] {
  const parts: Part[] = []
  let [from, depth] = [start, 0]
  for (let at = start; at < end; at += 1) {
    const character = code.charAt(at)
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    else if (character === ',' && depth === 0) {
      parts.push({ start: from, end: at })
      from = at + 1
    }
  }
  return code.slice(from, end).trim() === '' ? parts : [...parts, { start: from, end }]
}
