/** The two ends of a text that is too long, and the lines between them that are left out. */
export interface Ends {
  readonly head: string
  readonly tail: string
  /** Numbers of the first and the last line that are left out, from 1. */
  readonly first: number
  readonly last: number
  /** Lines of the whole text. */
  readonly lines: number
}

/**
 * The head and tail of a text, together at most `max` characters: whole lines, as far as a line is
 * not too long itself. Null for a text that is short enough.
 */
export function endsOf(text: string, max: number): Ends | null {
  if (text.length <= max) return null
  const half = Math.floor(max / 2)
  const headLines = text.lastIndexOf('\n', half - 1) + 1
  const tailLines = text.indexOf('\n', text.length - half - 1) + 1
  // A cut must not leave half of a surrogate pair.
  const head = text.slice(0, headLines > 0 ? headLines : half).replace(/[\ud800-\udbff]$/, '')
  const hasLine = tailLines > 0 && tailLines < text.length
  const tail = text.slice(hasLine ? tailLines : text.length - half).replace(/^[\udc00-\udfff]/, '')
  const between = text.slice(head.length, text.length - tail.length)
  const first = newlinesIn(head) + 1
  const last = first + Math.max(0, newlinesIn(between.replace(/\n$/, '')))
  return { head, tail, first, last, lines: newlinesIn(text.replace(/\n$/, '')) + 1 }
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1
}
