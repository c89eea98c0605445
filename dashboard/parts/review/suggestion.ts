/** A suggested replacement of the commented lines, as it is written in the comment's text. */
export function suggestionOf(lines: readonly string[]): string {
  return `${fence}suggestion\n${lines.join('\n')}\n${fence}\n`
}

interface SaidPart {
  readonly isSuggested: boolean
  readonly text: string
}

/** Separates the text of a comment from its suggested lines. */
export function partsOf(text: string): readonly SaidPart[] {
  return text
    .split(/^```suggestion\n([\s\S]*?)\n?^```[^\S\n]*\n?/m)
    .map((part, i) => ({ isSuggested: i % 2 === 1, text: part }))
    .filter((part) => part.isSuggested || part.text.trim() !== '')
}

const fence = '```'
