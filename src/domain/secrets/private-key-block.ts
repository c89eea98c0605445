/**
 * Between two lines, or a line and its number; as JSON writes it, also JSON within JSON, and as XML
 * does.
 */
const lineEnd = /\r?\n|(?:\\{1,8}r)?\\{1,8}[nt]|&#(?:10|xA);| /g
const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/**
 * What tools and languages put before and behind the lines of a text: numbers, paths, signs of a
 * diff, quotes.
 */
const line =
  /^((?:[^\s"']{0,300}?[:|-])?(?:\d{1,7}[\t:|-])?[\s+>#*|"'-]{0,40})([A-Za-z0-9+/]{32,}={0,2}|[A-Za-z0-9+/]+={0,2}(?=[\s"',;+\\]{0,40}(?:-----END|$)))/
/**
 * What may stand between lines of key material: empty lines, numbers and paths before a line,
 * headers of the block.
 */
const beside =
  /^[\s\d"'+,;|:>#*.-]*$|^\S{0,300}:\d{1,7}[:|-]?$|^[A-Za-z-]{1,40}:$|^(?:AES|DES)[A-Z0-9-]*,[0-9A-F]+$|^4,ENCRYPTED$/
/** Characters of base64 that a line has, the last one apart. */
const usual = 32
/**
 * What may stand between the last line and the end: a line's end, with a path and a number in front
 * of the next.
 */
const besideEnd = 120
/** Of a block, and of a line of it, which may be all of the block. */
const longestBlock = 16_384

interface Line {
  readonly from: number
  readonly to: number
}

/**
 * Hides what private key blocks hold, line by line, so that a text has as many lines as before. A
 * block may have lost its end or its beginning, as in a text that was cut.
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

/** The lines of key material that follow each beginning. */
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

/** The lines of key material that stand before an end whose beginning is not there. */
function beforeEnd(text: string): readonly Line[] {
  const found: Line[] = []
  let after = 0
  for (const match of text.matchAll(end)) {
    // No further than the block can be, whose lines are looked at once.
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

/** The key material of a line; null when it is something else. */
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
