interface Splitting {
  readonly maxChars: number
  readonly onLine: (line: string) => void
  /** Called once for each line that is longer; nothing of such a line is handed on. */
  readonly onOverflow: () => void
}

/**
 * Splits a text that arrives in parts into its lines. Only a line feed ends one: Node's own reader
 * also ends them at U+2028, which may stand in a path.
 */
export function lineSplitter({ maxChars, onLine, onOverflow }: Splitting): (text: string) => void {
  let parts: string[] = []
  let size = 0
  function append(part: string): void {
    if (size > maxChars) return
    size += part.length
    parts.push(part)
    if (size > maxChars) onOverflow()
  }
  return (text) => {
    const [first = '', ...others] = text.split('\n')
    append(first)
    for (const next of others) {
      if (size <= maxChars) onLine(parts.join(''))
      parts = []
      size = 0
      append(next)
    }
  }
}
