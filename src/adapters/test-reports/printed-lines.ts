import { limits } from '../../domain/limits.ts'

const { outputChars, lines: mostLines, lineChars } = limits.testReport

/**
 * Colours, cursor moves, titles and links. No two parts of the expression can match the same
 * character, so that it takes linear time.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
const escapes = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])?/g

export interface PrintedLines {
  readonly lines: readonly string[]
  /** True if lines before them were dropped. */
  readonly cut: boolean
}

/**
 * The last lines that a terminal would show, without escape sequences and with at most two empty
 * lines in a row. Lines longer than any reader needs are cut.
 */
export function printedLines(output: string): PrintedLines {
  const text = output
    .slice(-outputChars)
    .replace(/\r+\n?/g, '\n')
    .replace(/\n{3,}/g, '\n\n\n')
  const lines: string[] = []
  let end = text.length
  while (end >= 0 && lines.length < mostLines) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, Math.min(end, start + lineChars))
    lines.push(line.includes('\x1b') ? line.replace(escapes, '') : line)
    end = start - 1
  }
  return { lines: lines.reverse(), cut: end >= 0 || output.length > outputChars }
}
