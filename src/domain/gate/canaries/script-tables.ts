import { type Part, partsBetween } from '../brackets.ts'
import { isConstant } from '../vacuous.ts'
import { trimmed } from './other-literal.ts'

export interface SourceText {
  readonly text: string
  readonly code: string
  readonly ends: Int32Array
}

/** A piece of code that runs once for each row of a table. */
export interface RowLoop {
  readonly body: Part
  /** The bracket of the title's call if the rows come from `test.each`. */
  readonly each: number | null
  /** The value of a variable of the body in a row; null if the row does not write it out. */
  cell(row: Part, name: string): Part | null
  /** The value that a row has under a key. */
  keyed(row: Part, key: string): Part | null
  /** The cell of a placeholder such as the second `%s`. */
  nth(row: Part, index: number): Part | null
  readonly rows: readonly Part[]
}

const loops =
  /\bfor\s*\(\s*(?:const|let|var)\s+|\.\s*forEach\s*\(\s*(?:async\s*)?(?=\(|[\w$]+\s*=>)|(?<![\w$.])(?:test|it|specify)(?:\s*\.\s*(?:concurrent|only))?\s*\.\s*(?:each|for)\s*\(/g

/** Words of rows that expect something other than a value. */
const otherwise = /err|skip|throw|only|todo|fail|reject/i

/** Bounds: loops of a file, and characters of a loop's head. */
const [mostLoops, mostHead] = [200, 2_000]

/** Loops over tables that the file writes out: in the loop, or as a constant of its own. */
export function rowLoops(read: SourceText): readonly RowLoop[] {
  const found = [...read.code.matchAll(loops)].slice(0, mostLoops)
  return found.flatMap(({ index, 0: head }): readonly RowLoop[] => {
    const loop = head.startsWith('for')
      ? ofFor(read, index)
      : head.startsWith('.')
        ? ofForEach(read, index, head)
        : ofEach(read, index + head.length - 1)
    return loop === null ? [] : [loop]
  })
}

function ofFor(read: SourceText, start: number): RowLoop | null {
  const { code, ends } = read
  const open = code.indexOf('(', start)
  const close = ends[open] ?? 0
  if (close - open > mostHead && !code.slice(open, open + mostHead).includes(' of ')) return null
  const [, word = '', bound = '', over = ''] =
    /^(\s*(?:const|let|var)\s+)(\S[^\n]*?)[ \t]of[ \t]+([\s\S]*)$/.exec(code.slice(open + 1, close)) ?? []
  if (bound === '') return null
  const from = open + 1 + word.length
  const pattern = { start: from, end: from + bound.length }
  const table = tableAt(read, trimmed(code, { start: close - over.length, end: close }))
  return made(read, { pattern, table, body: blockAt(read, close + 1), each: null })
}

function ofForEach(read: SourceText, dot: number, head: string): RowLoop | null {
  const { code, ends } = read
  const before = code.slice(0, dot).trimEnd()
  const name = /(?<![\w$.])[\w$]+$/.exec(before.slice(-mostHead))?.[0]
  const from = before.endsWith(']') ? ends.lastIndexOf(before.length - 1) : before.length - (name ?? '').length
  const at = dot + head.length
  const isBracket = code[at] === '('
  const end = isBracket ? (ends[at] ?? 0) : at + (/^[\w$]+/.exec(code.slice(at))?.[0].length ?? 0)
  const arrow = /^\)?\s*=>\s*/.exec(code.slice(end))?.[0]
  if (from < 0 || arrow === undefined) return null
  const pattern = { start: isBracket ? at + 1 : at, end }
  const table = tableAt(read, { start: from, end: before.length })
  return made(read, { pattern, table, body: blockAt(read, end + arrow.length), each: null })
}

function ofEach(read: SourceText, open: number): RowLoop | null {
  const { code, ends } = read
  const close = ends[open] ?? 0
  const call = close + 1 + (/^\s*/.exec(code.slice(close + 1))?.[0].length ?? 0)
  if (close === 0 || code[call] !== '(') return null
  const table = tableAt(read, trimmed(code, { start: open + 1, end: close }))
  const last = partsBetween(code, { start: call + 1, end: ends[call] ?? 0 }).at(-1)
  const head = last && /^\s*(?:async\s*)?(?:function\s*)?\(/.exec(code.slice(last.start, last.end))?.[0]
  if (!head) return null
  const from = last.start + head.length - 1
  const end = ends[from] ?? 0
  const arrow = /^\)\s*(?:=>\s*)?/.exec(code.slice(end))?.[0] ?? ''
  return made(read, { pattern: { start: from + 1, end }, table, body: blockAt(read, end + arrow.length), each: call })
}

interface TableMatch {
  readonly pattern: Part
  readonly table: Part | null
  readonly body: Part
  readonly each: number | null
}

function made(read: SourceText, { pattern, table, body, each }: TableMatch): RowLoop | null {
  if (table === null || body.end <= body.start) return null
  const { code, ends } = read
  const isThere = (part: Part) => code.slice(part.start, part.end).trim() !== ''
  const inside = (part: Part) => {
    const { start, end } = trimmed(code, part)
    return ends[start] === end - 1 ? partsBetween(code, { start: start + 1, end: end - 1 }).filter(isThere) : null
  }
  const rows = (inside(table) ?? []).map((part) => trimmed(code, part))
  const params = partsBetween(code, pattern).map((part) => trimmed(code, part))
  const [first] = params
  if (first === undefined || otherwise.test(code.slice(pattern.start, pattern.end))) return null
  const places = placesIn(read, params, each !== null)
  const keyed = (row: Part, key: string) => {
    const word = new RegExp(`^\\s*${key.replaceAll('$', '\\$')}\\s*:`)
    const cells = code[row.start] === '{' ? inside(row) : null
    const own = cells?.find((one) => word.test(code.slice(one.start, one.end)))
    return own === undefined ? null : { start: code.indexOf(':', own.start) + 1, end: own.end }
  }
  const cell = (row: Part, name: string) => {
    const key = places(name)
    const cells = inside(row)
    if (key === null || cells === null || cells.some((one) => /^\s*\.\.\./.test(code.slice(one.start, one.end))))
      return null
    if (typeof key === 'string') return keyed(row, key)
    return code[row.start] === '[' ? (cells[key] ?? null) : null
  }
  const nth = (row: Part, index: number) =>
    code[row.start] === '[' ? (inside(row)?.[index] ?? null) : index === 0 && code[row.start] !== '{' ? row : null
  return { body, each, cell, keyed, nth, rows }
}

/** The column or key of each variable that the pattern of a loop binds. */
function placesIn(
  read: SourceText,
  params: readonly Part[],
  isEach: boolean,
): (name: string) => number | string | null {
  const { text, code, ends } = read
  const nameOf = ({ start, end }: Part) => /^\s*([\w$]+)\s*(?:[:?][^=]*)?$/.exec(code.slice(start, end))?.[1]
  const [only] = params
  if (params.length > 1 && isEach) return columnsOf(params.map(nameOf))
  if (only === undefined) return () => null
  const open = code[only.start]
  const within = { start: only.start + 1, end: ends[only.start] ?? 0 }
  if (open === '[') return columnsOf(partsBetween(code, within).map(nameOf))
  if (open === '{') {
    const keys = partsBetween(code, within).flatMap(({ start, end }): readonly (readonly [string, string])[] => {
      const [, key, own = key] = /^\s*([\w$]+)\s*(?::\s*([\w$]+)\s*)?$/.exec(text.slice(start, end)) ?? []
      return key === undefined || own === undefined ? [] : [[own, key]]
    })
    return (name) => new Map(keys).get(name) ?? null
  }
  const row = nameOf(only)
  return (name) => {
    const [own, key, ...more] = name.split('.')
    return own === row && key !== undefined && more.length === 0 ? key : null
  }
}

function columnsOf(names: readonly (string | undefined)[]): (name: string) => number | null {
  return (name) => {
    const at = names.indexOf(name)
    return at < 0 ? null : at
  }
}

/** A literal list, or the list of a constant that nothing else uses. */
function tableAt({ code, ends }: SourceText, { start, end }: Part): Part | null {
  if (code[start] === '[') return ends[start] === end - 1 ? { start, end } : null
  const name = code.slice(start, end)
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return null
  const word = name.replaceAll('$', '\\$')
  const uses = code.match(new RegExp(`(?<![\\w$.])${word}(?![\\w$])`, 'g')) ?? []
  const declared = new RegExp(`\\b(?:const|let|var)\\s+${word}\\s*(?::[^=\\n]*)?=\\s*(?=\\[)`).exec(code)
  if (uses.length !== 2 || declared === null) return null
  const open = declared.index + declared[0].length
  return ends[open] ? { start: open, end: (ends[open] ?? 0) + 1 } : null
}

/** The inside of a block, or one statement. */
function blockAt({ code, ends }: SourceText, from: number): Part {
  const start = from + (/^\s*/.exec(code.slice(from))?.[0].length ?? 0)
  if (code[start] === '{') return { start: start + 1, end: ends[start] ?? 0 }
  let at = start
  while (at < code.length && !/[\n;)]/.test(code.charAt(at))) at = (ends[at] ?? 0) > 0 ? (ends[at] ?? 0) + 1 : at + 1
  return { start, end: at }
}

/** True if a part is a literal value. */
export function isLiteral({ text, code, ends }: SourceText, part: Part): boolean {
  const { start, end } = trimmed(code, part)
  if (start >= end) return false
  // The keys of an object would count as names below.
  if (/[[{]/.test(code.charAt(start))) return ends[start] === end - 1
  return /^[-\d"'`tfnu]/.test(code.slice(start)) && isConstant({ text, code }, { start, end })
}

/** The cell of a variable in the last row that has a literal there, with the row. */
export function lastCell(
  read: SourceText,
  loop: RowLoop,
  name: string,
): { readonly at: Part; readonly row: Part } | null {
  for (const row of loop.rows.toReversed()) {
    const cell = loop.cell(row, name)
    if (cell !== null && isLiteral(read, cell)) return { at: trimmed(read.code, cell), row }
  }
  return null
}

/**
 * The possible names of a row's test, as a pattern: the row's values stand where the title names
 * them, and anything in place of other values. Null where the title says too little.
 */
export function namesOfRow(read: SourceText, loop: RowLoop, title: string, { at, row }: { at: Part; row: Part }) {
  let [count, said] = [0, '']
  const wordOf = (cell: Part | null) => {
    if (cell === null) return null
    const { start, end } = trimmed(read.code, cell)
    if (start <= at.start && at.end <= end) return null
    const value = read.text.slice(start, end)
    return /^-?(?:0|[1-9]\d{0,8})$/.test(value) ? value : (/^(["'`])([^"'`\\${}]*)\1$/.exec(value)?.[2] ?? null)
  }
  const pattern = title
    .split(loop.each === null ? /(\$\{[^{}]*\})/ : /(%[a-zA-Z#%$]|\$[\w.]+)/)
    .map((part, i) => {
      const isText = i % 2 === 0 || part === '%%'
      const name = part.replace(/^\$\{?|\}$/g, '').trim()
      const isNumbered = part.startsWith('%') && !/^%[#$]/.test(part)
      const named = loop.each === null ? loop.cell(row, name) : loop.keyed(row, name)
      const cell = isNumbered ? loop.nth(row, count) : named
      if (!isText && isNumbered) count += 1
      const text = isText ? part.replace('%%', '%') : wordOf(cell)
      said += text?.replace(/\W/g, '') ?? ''
      if (text === null) return '.*'
      const word = text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
      // Some runners quote strings.
      return part.startsWith('$') && !isText ? `["'\`]?${word}["'\`]?` : word
    })
    .join('')
  return said.length < 2 ? null : pattern
}
