import type { Readable } from 'node:stream'

/** Calls `onLine` for each line of at most `maxChars`; `onOverflow`, once, when one is longer. */
export function readLines(
  stream: Readable,
  { maxChars, onLine, onOverflow }: { maxChars: number; onLine: (line: string) => void; onOverflow: () => void },
): void {
  let parts: string[] = []
  let size = 0
  stream.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    append(first)
    for (const next of others) {
      if (size <= maxChars) onLine(parts.join(''))
      parts = []
      size = 0
      append(next)
    }
  })

  function append(part: string): void {
    if (size > maxChars) return
    size += part.length
    parts.push(part)
    if (size > maxChars) onOverflow()
  }
}
