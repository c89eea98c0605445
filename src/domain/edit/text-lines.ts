/** One line of a text, without its ending, and where it begins. */
export interface TextLine {
  readonly text: string
  readonly start: number
  /** Empty for a last line without an ending. */
  readonly ending: '' | '\n' | '\r\n'
}

/** The lines of a text. A byte order mark belongs to none. */
export function linesOf(text: string): readonly TextLine[] {
  const lines: TextLine[] = []
  for (let start = text.startsWith('\uFEFF') ? 1 : 0; start < text.length; ) {
    const lf = text.indexOf('\n', start)
    const end = lf < 0 ? text.length : text[lf - 1] === '\r' && lf > start ? lf - 1 : lf
    const ending = lf < 0 ? '' : end === lf ? '\n' : '\r\n'
    lines.push({ text: text.slice(start, end), start, ending })
    start = end + ending.length
  }
  return lines
}

/** The line ending that a text has throughout: CRLF only if no line ends otherwise. */
export function usualEnding(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(^|[^\r])\n/.test(text) ? '\r\n' : '\n'
}

/** The spaces and tabs that a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

/** Lines as a model is shown them: with their numbers, from `first` on. */
export function numberedLines(lines: readonly TextLine[], first: number, count: number): string {
  const shown = lines.slice(first, first + count)
  return shown.map(({ text }, i) => `${first + i + 1}\t${text.slice(0, mostChars)}`).join('\n')
}

const mostChars = 300
