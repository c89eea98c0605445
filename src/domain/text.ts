/** The text, or its head and tail around a line with the number of characters left out. */
export function capText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  // A cut must not leave half of a surrogate pair.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n… ${text.length - head.length - tail.length} characters left out …\n${tail}`
}

/** The lines that are not empty. */
export function filledLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

/** The first line with words, for a title; empty when there is none. */
export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

/** The last `max` lines, not counting a final newline. */
export function lastLines(text: string, max: number): string {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.slice(-max).join('\n')
}

/**
 * A name for branches and ids: lower case, dashes, at most 40 characters; `task` when nothing is
 * left.
 */
export function slug(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (words.length <= 40) return words || 'task'
  const cut = words.slice(0, 41)
  // The cut is at the end of a word, unless that leaves too little.
  const whole = cut.slice(0, Math.max(0, cut.lastIndexOf('-')))
  return whole.length >= 15 ? whole : words.slice(0, 40).replace(/-+$/, '')
}

/** Formats a text as a quotation in Markdown. */
export function quote(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}
