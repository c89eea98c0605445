/** The text, or its head and tail with a line between that says how many characters were left out. */
export function capText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)}\n… ${left} characters left out …\n${text.slice(-half)}`
}

/** The last `max` lines, a final newline aside. */
export function lastLines(text: string, max: number): string {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.slice(-max).join('\n')
}

/** A name for branches and ids: lower case, dashes, at most 40 characters; `task` when nothing is left. */
export function slug(text: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return words.slice(0, 40).replace(/-+$/, '') || 'task'
}
