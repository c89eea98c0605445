import type { CodeSyntax } from './code-syntax.ts'

/**
 * Replaces each character of a comment or string with a blank. Quotes, line ends and the
 * expressions in a template stay. A string that may interpolate a value keeps one `$` as a sign of
 * it. An unclosed comment or string extends to the end of the text. Takes linear time.
 */
export function maskCode(text: string, syntax: CodeSyntax): string {
  return mask(text, syntax, { hasComments: false })
}

/** Masks strings as `maskCode` does, and leaves comments. */
export function maskStrings(text: string, syntax: CodeSyntax): string {
  return mask(text, syntax, { hasComments: true })
}

function mask(text: string, syntax: CodeSyntax, { hasComments }: Pick<Scan, 'hasComments'>): string {
  const scan: Scan = { text, syntax, hasComments, kept: [], from: 0, at: 0, depths: [], heredoc: null }
  const [outside, inside] = [startsOf(syntax), startsOf(syntax, '{}')]
  while (scan.at < text.length) {
    const interesting = scan.depths.length > 0 ? inside : outside
    interesting.lastIndex = scan.at
    const found = interesting.exec(text)
    if (found === null) break
    scan.at = found.index
    step(scan)
    if (scan.at === found.index) scan.at += 1
  }
  scan.kept.push(text.slice(scan.from))
  return scan.kept.join('')
}

interface Scan {
  readonly text: string
  readonly syntax: CodeSyntax
  /** True to leave comments unmasked. */
  readonly hasComments: boolean
  readonly kept: string[]
  /** `kept` holds the masked text up to here. */
  from: number
  at: number
  /** For each open template, the number of open braces in its present `${`. */
  readonly depths: number[]
  /** The line that ends the heredoc which begins on the next line. */
  heredoc: string | null
}

const special = /[.*+?^${}()|[\]\\/-]/g

/** Characters that may begin or end something other than code. */
function startsOf(
  { lineComments, blockComments, quotes, hasTemplates, heredoc, language }: CodeSyntax,
  more = '',
): RegExp {
  const starts = new Set([...lineComments, ...quotes.map(({ mark }) => mark), ...more].map((each) => each.charAt(0)))
  if (blockComments !== 'none') starts.add('/')
  if (hasTemplates) starts.add('`').add('/')
  if (heredoc !== null) for (const each of '<\n') starts.add(each)
  if (language === 'ruby') starts.add('\n').add('=')
  if (language === 'rust') starts.add("'")
  return new RegExp(`[${[...starts].join('').replace(special, '\\$&')}]`, 'g')
}

function step(scan: Scan): void {
  const { text, at, syntax } = scan
  const { language, lineComments, blockComments, quotes, hasTemplates, heredoc } = syntax
  if (text[at] === '\n' && scan.heredoc !== null) endHeredoc(scan)
  else if (isLineComment(scan, lineComments)) takeComment(scan, lineEnd(text, at))
  else if (blockComments !== 'none' && text.startsWith('/*', at)) takeComment(scan, blockEnd(scan))
  else if (language === 'ruby' && text.startsWith('=begin', at) && (at === 0 || text[at - 1] === '\n'))
    takeComment(scan, endOf(text, '\n=end', at))
  else if (heredoc !== null && text[at] === '<') startHeredoc(scan, heredoc)
  else if (language === 'rust' && text[at] === "'") skipCharacter(scan)
  else if (!hasTemplates || !inTemplate(scan)) {
    const quote = quotes.find(({ mark }) => text.startsWith(mark, at))
    if (quote !== undefined) skipString(scan, quote)
  }
}

/** The hash of a shell script's `$#` and of attributes in PHP and Rust does not start a comment. */
function isLineComment({ text, at }: Scan, marks: readonly string[]): boolean {
  const mark = marks.find((each) => text.startsWith(each, at))
  return mark !== undefined && (mark !== '#' || (text[at + 1] !== '[' && text[at - 1] !== '$'))
}

function takeComment(scan: Scan, end: number): void {
  if (scan.hasComments) scan.at = end
  else blank(scan, scan.at, end)
}

/** Replaces a part by blanks, and continues behind it. */
function blank(scan: Scan, start: number, end: number): void {
  const part = scan.text.slice(start, end)
  scan.kept.push(
    scan.text.slice(scan.from, start),
    part.includes('\n') ? part.replace(/[^\n]/g, ' ') : ' '.repeat(part.length),
  )
  scan.from = end
  scan.at = end
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function endOf(text: string, close: string, at: number): number {
  const end = text.indexOf(close, at)
  return end < 0 ? text.length : end + close.length
}

function blockEnd({ text, at, syntax }: Scan): number {
  if (syntax.blockComments === 'flat') return endOf(text, '*/', at + 2)
  const mark = /\/\*|\*\//g
  mark.lastIndex = at
  let depth = 0
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return text.length
}

/** Blanks a string, and leaves a `$` where it may depend on something. */
function blankString(scan: Scan, start: number, end: number): void {
  if (end <= start) {
    scan.at = Math.max(scan.at, end)
    return
  }
  const inside = scan.text.slice(start, end)
  if (/\$[\w{]|#\{|\\\(|\{\w/.test(inside)) {
    const sign = start + inside.search(/[^\n]/)
    blank(scan, start, sign)
    scan.kept.push('$')
    scan.from = sign + 1
  }
  blank(scan, scan.from > start ? scan.from : start, end)
}

function skipString(scan: Scan, { mark, spansLines = false, isRaw = false }: CodeSyntax['quotes'][number]): void {
  const { text, at, syntax } = scan
  const start = at + mark.length
  const hashes = syntax.language === 'rust' ? rawHashes(text, at) : null
  let end = hashes === null ? start : endOf(text, `"${hashes}`, start) - 1 - hashes.length
  if (hashes === null)
    for (; end < text.length && !text.startsWith(mark, end); end += 1) {
      if (!spansLines && text[end] === '\n') break
      if (!isRaw && text[end] === '\\') end += 1
    }
  end = Math.min(text.length, Math.max(start, end))
  blankString(scan, start, end)
  scan.at = text[end] === '\n' ? end : Math.min(text.length, end + (hashes === null ? mark.length : 1))
}

/** The hashes of `r##"`; null when the string is not a raw one. */
function rawHashes(text: string, at: number): string | null {
  let start = at
  while (text[start - 1] === '#') start -= 1
  return text[start - 1] === 'r' && !/[ac-zA-Z0-9_]/.test(text[start - 2] ?? '') ? text.slice(start, at) : null
}

/** Rust's `'x'`; `'a` is a lifetime. */
function skipCharacter(scan: Scan): void {
  const character = /'(?:\\[^\n]{1,10}?|[^\\'\n]{1,2})'/y
  character.lastIndex = scan.at
  if (!character.test(scan.text)) return
  blankString(scan, scan.at + 1, character.lastIndex - 1)
  scan.at = character.lastIndex
}

/**
 * Handles the start or end of a template part or a regular expression; false if there is none here.
 */
function inTemplate(scan: Scan): boolean {
  const { text, at, depths } = scan
  const depth = depths.at(-1)
  switch (text[at]) {
    case '`':
      skipTemplate(scan)
      return true
    case '{':
      if (depth !== undefined) depths.push((depths.pop() ?? 0) + 1)
      return depth !== undefined
    case '}':
      if (depth === undefined) return false
      depths.pop()
      if (depth === 0) skipTemplate(scan)
      else depths.push(depth - 1)
      return true
    case '/':
      return skipRegularExpression(scan)
    default:
      return false
  }
}

/** Skips to the end of a template, or to its next `${`. */
function skipTemplate(scan: Scan): void {
  const { text, depths } = scan
  const start = scan.at + 1
  let end = start
  for (; end < text.length && text[end] !== '`'; end += 1) {
    if (text[end] === '\\') end += 1
    else if (text.startsWith('${', end)) break
  }
  end = Math.min(text.length, end)
  const opens = text[end] === '$'
  blank(scan, start, end)
  scan.at = end + (opens ? 2 : 1)
  if (opens) depths.push(0)
}

/**
 * Most characters of a regular expression. A slash without a closing one in this distance does not
 * start one; otherwise each slash in an open class would be followed to the end of its line.
 */
const longestPattern = 1_000

function skipRegularExpression(scan: Scan): boolean {
  const { text, at } = scan
  let before = at - 1
  while (text[before] === ' ' || text[before] === '\t') before -= 1
  if (/[\w$)\]}"'`]/.test(text[before] ?? '') && !afterKeyword.test(text.slice(Math.max(0, before - 11), before + 1)))
    return false
  let isClass = false
  let end = at + 1
  const last = Math.min(text.length, at + longestPattern)
  for (; end < last && text[end] !== '\n' && (isClass || text[end] !== '/'); end += 1) {
    if (text[end] === '\\') end += 1
    else if (text[end] === '[') isClass = true
    else if (text[end] === ']') isClass = false
  }
  if (text[end] !== '/') return false
  blankString(scan, at + 1, end)
  scan.at = end + 1
  return true
}

const afterKeyword = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield|instanceof)$/

function startHeredoc(scan: Scan, heredoc: RegExp): void {
  heredoc.lastIndex = scan.at
  const found = heredoc.exec(scan.text)
  if (found === null) return
  scan.heredoc = found[2] ?? null
  scan.at = heredoc.lastIndex
}

function endHeredoc(scan: Scan): void {
  const last = new RegExp(`^[ \\t]*${scan.heredoc}\\b`, 'gm')
  last.lastIndex = scan.at + 1
  const found = last.exec(scan.text)
  scan.heredoc = null
  blank(scan, scan.at, found === null ? scan.text.length : last.lastIndex)
}
