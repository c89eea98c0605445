/** Shorter names are words that any text may contain. */
const leastChars = 5

/**
 * True if a text names a test: by its own name, or by its file if the id begins with one. A task
 * that names a test asks for work on it.
 */
export function isTestNamed(id: string, text: string): boolean {
  const parts = id.replace(/ #\d+$/, '').split(' > ')
  const name = parts.at(-1) ?? ''
  const file = parts.length > 1 && /[/.]/.test(parts[0] ?? '') ? parts[0] : undefined
  const words = text.toLowerCase()
  return [name, file].some(
    (each) => each !== undefined && each.length >= leastChars && words.includes(each.toLowerCase()),
  )
}
