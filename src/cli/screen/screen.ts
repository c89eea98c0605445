import { stripVTControlCharacters } from 'node:util'
import { readEnvironment } from '../../config/environment.ts'

/** The few ways to emphasise words, used only in a terminal. */
export type Tone = 'strong' | 'good' | 'bad' | 'faint' | 'plain'

/**
 * The place where people read output: a terminal with a width, or a file or pipe that receives text
 * unchanged.
 */
export interface Screen {
  /** Null if it is not a terminal. */
  readonly columns: number | null
  paint(tone: Tone, text: string): string
  /** Cuts a line to the width, minus `used` columns. */
  fit(text: string, used?: number): string
  /**
   * Text of a model or a repository: removes control sequences, and wraps long lines at words,
   * minus `used` columns.
   */
  prose(text: string, used?: number): string
  /** Removes control sequences and keeps the lines. */
  clean(text: string): string
  /** Removes control sequences except those that `paint` has added. */
  inert(text: string): string
}

const codes: Readonly<Record<Tone, readonly [number, number] | null>> = {
  strong: [1, 22],
  good: [32, 39],
  bad: [31, 39],
  faint: [2, 22],
  plain: null,
}

export function createScreen(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): Screen & { readonly live: boolean } {
  const terminal = stream.isTTY === true
  const live = terminal && env.TERM !== 'dumb'
  const coloured = live && !readEnvironment(env).noColor
  const width = () => Math.max(20, stream.columns || 80)
  const clean = (text: string) => (terminal ? withoutControl(text) : text)
  return {
    live,
    get columns() {
      return terminal ? width() : null
    },
    paint(tone, text) {
      const code = coloured ? codes[tone] : null
      return code ? `\u001b[${code[0]}m${text}\u001b[${code[1]}m` : text
    },
    fit: (text, used = 0) =>
      terminal ? cut(withoutControl(text).replaceAll(/[\n\t]/g, ' '), Math.max(8, width() - used)) : text,
    prose: (text, used = 0) => (terminal ? wrap(clean(text), Math.max(20, width() - used)) : text),
    clean,
    inert: (text) => (terminal ? withoutForeign(text) : text),
  }
}

const ownCode = new RegExp(
  `(${Object.values(codes)
    .flatMap((code) => code ?? [])
    .map((each) => `\\u001b\\[${each}m`)
    .join('|')})`,
)

/** Removes control sequences except the codes of `paint`. */
function withoutForeign(text: string): string {
  const parts = text.split(ownCode)
  // The pattern captures its codes, so every second part is one.
  return parts.map((part, i) => (i % 2 === 1 ? part : withoutControl(part))).join('')
}

/**
 * Removes escape sequences, characters that change the direction of writing, and all control
 * characters except line ends and tabs.
 */
function withoutControl(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, '')
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
let segmenter: Intl.Segmenter | undefined

/**
 * Splits text into the characters that a reader sees. The segmenter is made on first use, since its
 * tables take time to load.
 */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The number of columns that a text without control characters takes in a terminal. */
export function widthOf(text: string): number {
  let columns = 0
  for (const { segment } of graphemesOf(text)) columns += wide.test(segment) ? 2 : 1
  return columns
}

function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemesOf(text)) {
    used += wide.test(segment) ? 2 : 1
    if (used > columns) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** Wraps lines at spaces and keeps the indent of lists. Text between fences stays unchanged. */
export function wrap(text: string, columns: number): string {
  let fenced = false
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) fenced = !fenced
      return fenced || widthOf(line) <= columns ? line : wrapLine(line, columns)
    })
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const [lead = ''] = /^\s*(?:[-*] |\d+\. )?/.exec(line) ?? []
  const indent = ' '.repeat(lead.length)
  const lines: string[] = []
  let current = lead
  for (const word of line.slice(lead.length).split(' ')) {
    const empty = current === lead || current === indent
    const longer = empty ? `${current}${word}` : `${current} ${word}`
    if (empty || widthOf(longer) <= columns) {
      current = longer
    } else {
      lines.push(current)
      current = `${indent}${word}`
    }
  }
  return [...lines, current].join('\n')
}
