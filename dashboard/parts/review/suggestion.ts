/** Lines that are to stand in place of those that a comment is on, as its text has them. */
export function suggestionOf(lines: readonly string[]): string {
  return `${fence}suggestion\n${lines.join('\n')}\n${fence}\n`
}

interface SaidPart {
  readonly isSuggested: boolean
  readonly text: string
}

/** The words of a comment apart from the lines that it suggests. */
export function partsOf(text: string): readonly SaidPart[] {
  return text
    .split(/^```suggestion\n([\s\S]*?)\n?^```[^\S\n]*\n?/m)
    .map((part, i) => ({ isSuggested: i % 2 === 1, text: part }))
    .filter((part) => part.isSuggested || part.text.trim() !== '')
}

const fence = '```'
