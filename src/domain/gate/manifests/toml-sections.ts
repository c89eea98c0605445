/** One `key = value` of a TOML file, with all lines of its value. */
interface Entry {
  readonly key: string
  /** The text without white space around its lines. */
  readonly text: string
  readonly raw: string
}

/** A header with its entries; entries before the first header have the section ''. */
export interface TomlTable {
  readonly section: string
  readonly header: string | null
  /** True for one of several tables with the same header. */
  readonly isOneOfMany: boolean
  readonly entries: readonly Entry[]
}

/**
 * The entries of a TOML file by section, without comments and empty lines; `isDescribing` selects
 * those to leave out. A line inside a value is part of the value even if it looks like a header,
 * and a value that never ends extends to the end of the file.
 */
export function tomlSections(
  text: string,
  isDescribing: (section: string, key: string) => boolean,
): ReadonlyMap<string, string> {
  const sections = new Map<string, string[]>()
  for (const { section, entries } of tomlTables(text)) {
    for (const { key, text: said } of entries) {
      if (isDescribing(section, key)) continue
      const lines = sections.get(section) ?? []
      sections.set(section, lines)
      lines.push(said)
    }
  }
  return new Map([...sections].map(([section, lines]) => [section, `${lines.join('\n')}\n`]))
}

/** The tables of a TOML file in their order, without comments and empty lines between entries. */
export function tomlTables(text: string): readonly TomlTable[] {
  let entries: Entry[] = []
  const tables: TomlTable[] = [{ section: '', header: null, isOneOfMany: false, entries }]
  let lines: string[] = []
  let open: Open = { quote: null, depth: 0 }
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const isInside = open.quote !== null || open.depth > 0
    if (!isInside && (line === '' || line.startsWith('#'))) continue
    const section = isInside ? null : headerOf(line)
    if (section !== null) {
      entries = []
      tables.push({ section, header: line, isOneOfMany: line.startsWith('[['), entries })
      continue
    }
    open = after(line, open)
    lines.push(raw)
    if (open.quote !== null || open.depth > 0) continue
    entries.push(entry(lines))
    lines = []
  }
  if (lines.length > 0) entries.push(entry(lines))
  return tables
}

/** The text of a file with these tables. */
export function tomlText(tables: readonly Pick<TomlTable, 'header' | 'entries'>[]): string {
  const parts = tables.map(({ header, entries }) =>
    [...(header === null ? [] : [header]), ...entries.map(({ raw }) => raw)].join('\n'),
  )
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function entry(lines: readonly string[]): Entry {
  const key = lines[0]?.split('=', 1)[0] ?? ''
  return { key: plain(key), text: lines.map((line) => line.trim()).join('\n'), raw: lines.join('\n') }
}

/** Quotes and blanks around the parts of a key are insignificant. */
const plain = (key: string): string =>
  key
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.')

function headerOf(line: string): string | null {
  const found = /^\[{1,2}([^[\]]+)\]{1,2}[ \t]*(?:#.*)?$/.exec(line)?.[1]
  return found === undefined ? null : plain(found)
}

type Quote = (typeof quotes)[number]

interface Open {
  /** The quote of a string that continues on the next line. */
  readonly quote: Quote | null
  /** Depth of the brackets around a value. */
  readonly depth: number
}

/** The string and brackets that are still open at the end of a line. */
function after(line: string, { quote: before, depth: inside }: Open): Open {
  let [quote, depth] = [before, inside]
  for (let at = 0; at < line.length; ) {
    const mark = quote ?? quoteAt(line, at)
    if (mark !== null) {
      const end = endOf(line, mark, quote === null ? at + mark.length : at)
      // A single-quoted string never continues on the next line.
      if (end < 0) return { quote: mark.length === 3 ? mark : null, depth }
      ;[quote, at] = [null, end]
      continue
    }
    const character = line.charAt(at)
    if (character === '#') break
    if ('[{'.includes(character)) depth += 1
    else if (']}'.includes(character)) depth -= 1
    at += 1
  }
  return { quote, depth: Math.max(0, depth) }
}

const quotes = ['"""', "'''", '"', "'"] as const

const quoteAt = (line: string, at: number): Quote | null => quotes.find((each) => line.startsWith(each, at)) ?? null

/** The end of a string, behind its quotes; in double quotes a backslash escapes them. */
function endOf(line: string, quote: Quote, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (quote.startsWith('"') && line[at] === '\\') at += 1
    else if (line.startsWith(quote, at)) return quote.length === 1 ? at + 1 : afterQuotes(line, quote, at)
  }
  return -1
}

/** The string itself may end with up to two quotes. */
function afterQuotes(line: string, quote: string, at: number): number {
  const [mark] = quote
  return at + 3 + (line[at + 3] === mark ? 1 + (line[at + 4] === mark ? 1 : 0) : 0)
}
