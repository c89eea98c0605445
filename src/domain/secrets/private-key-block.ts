/**
 * Separators between lines, or between a line and its number, including the separators of JSON, of
 * JSON within JSON, and of XML.
 */
const lineEnd = /\r?\n|(?:\\{1,8}r)?\\{1,8}[nt]|&#(?:10|xA);| /g
const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/**
 * Prefixes and suffixes that tools and languages add to lines of a text: numbers, paths, signs of a
 * diff, quotes.
 */
const line =
  /^((?:[^\s"']{0,300}?[:|-])?(?:\d{1,7}[\t:|-])?[\s+>#*|"'-]{0,40})([A-Za-z0-9+/]{32,}={0,2}|[A-Za-z0-9+/]+={0,2}(?=[\s"',;+\\]{0,40}(?:-----END|$)))/
/**
 * Lines that may stand between lines of key material: empty lines, numbers and paths before a line,
 * headers of the block.
 */
const beside =
  /^[\s\d"'+,;|:>#*.-]*$|^\S{0,300}:\d{1,7}[:|-]?$|^[A-Za-z-]{1,40}:$|^(?:AES|DES)[A-Z0-9-]*,[0-9A-F]+$|^4,ENCRYPTED$/
/** Characters of base64 in a line, except for the last one. */
const usual = 32
/**
 * Most characters between the last line and the end: a line's end, and a path and a number before
 * the next.
 */
const besideEnd = 120
/** Most characters of a block, and of a line, which may be the whole block. */
const longestBlock = 16_384

interface Line {
  readonly from: number
  readonly to: number
}

/**
 * Hides the content of private key blocks line by line, so that the text keeps its number of lines.
 * A block may lack its end or its beginning, as in a text that was cut.
 */
export function redactPrivateKeys(text: string, marker: string): string {
  if (!text.includes('PRIVATE KEY')) return text
  const hidden = [...afterBegin(text), ...beforeEnd(text)].sort((a, b) => a.from - b.from)
  let clean = ''
  let at = 0
  for (const { from, to } of hidden) {
    if (from < at) continue
    clean += text.slice(at, from) + marker
    at = to
  }
  return clean + text.slice(at)
}

/** The lines of key material after each beginning. */
function afterBegin(text: string): readonly Line[] {
  const found: Line[] = []
  for (const match of text.matchAll(begin)) {
    const known = found.length
    for (const each of linesFrom(text, match.index + match[0].length)) {
      const words = text.slice(each.from, each.to)
      if (beside.test(words)) continue
      const material = materialOf(text, each)
      if (material === null) break
      const isShort = material.to - material.from < usual
      const isLast = each.to === text.length || text.slice(each.from, each.to + besideEnd).includes('-----END')
      if (!isShort || (isLast && found.length > known)) found.push(material)
      if (isShort || words.includes('-----END')) break
    }
  }
  return found
}

/** The lines of key material before an end without a beginning. */
function beforeEnd(text: string): readonly Line[] {
  const found: Line[] = []
  let after = 0
  for (const match of text.matchAll(end)) {
    // A block has a maximum length, so the search goes back no further; this avoids reading lines
    // twice.
    const from = Math.max(after, match.index - longestBlock)
    after = match.index + match[0].length
    if (text.slice(from, match.index).includes('-----BEGIN')) continue
    const lines = [...linesFrom(text.slice(from, match.index), 0)].reverse()
    let above = 0
    for (const each of lines) {
      const piece = { from: from + each.from, to: from + each.to }
      if (beside.test(text.slice(piece.from, piece.to))) continue
      const material = materialOf(text, piece)
      if (material === null || (above > 0 && material.to - material.from < usual)) break
      above += 1
      found.push(material)
    }
  }
  return found
}

/** The key material of a line; null for any other line. */
function materialOf(text: string, { from, to }: Line): Line | null {
  if (to - from > longestBlock || text.startsWith('-----', from)) return null
  const [, before = '', material = ''] = line.exec(text.slice(from, to)) ?? []
  if (material === '') return null
  return { from: from + before.length, to: from + before.length + material.length }
}

function* linesFrom(text: string, start: number): Iterable<Line> {
  let from = start
  for (const match of text.slice(start).matchAll(lineEnd)) {
    yield { from, to: start + match.index }
    from = start + match.index + match[0].length
  }
  yield { from, to: text.length }
}
