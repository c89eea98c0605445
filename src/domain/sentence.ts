const ends = /[.!?…]["'`)\]]*$/

/**
 * A template for people whose values are words of others: models, programs, other machines. The
 * values may be empty, and may end as sentences do. No value doubles the punctuation behind it or
 * leaves a space before it.
 */
export function sentence(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  let said = strings[0] ?? ''
  for (const [i, value] of values.entries()) said = joined(said, `${value}`, strings[i + 1] ?? '')
  return values.at(-1) === '' && strings.at(-1) === '' ? closed(said.trimEnd(), '') : said
}

function joined(before: string, value: string, after: string): string {
  const words = value.trimEnd()
  if (words === '') return withoutValue(before, after)
  if (after.startsWith('.')) return closed(`${before}${words}`, after)
  return `${before}${/^[,;:]/.test(after) ? words.replace(/(?<!\.)[.,;:]$/, '') : value}${after}`
}

function withoutValue(before: string, after: string): string {
  if (/^[.,;:!?)]/.test(after)) return closed(before.trimEnd(), after)
  return `${before}${/\s$/.test(before) ? after.trimStart() : after}`
}

function closed(said: string, after: string): string {
  const open = said.replace(/[,;:]+$/, '')
  return `${open}${after.startsWith('.') && ends.test(open) ? after.slice(1) : after}`
}
