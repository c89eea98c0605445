export interface Edit {
  /** Text to find, lines ended by LF. */
  readonly old: string
  readonly new: string
  /** Replace every occurrence instead of exactly one. */
  readonly all: boolean
}

export type EditResult =
  | { readonly ok: true; readonly text: string; readonly replaced: number }
  | { readonly ok: false; readonly reason: string }

/** Lines of the nearest match, and places of an ambiguous `old`, that are shown. */
const windowLines = 20
const mostPlacesShown = 20

/**
 * Replaces text in a file and changes nothing else. A line ending inside `old` matches LF and CRLF
 * alike, and the new text takes the line ending of the old. A byte order mark and the final newline
 * stay. Fails with the nearest match when `old` is missing, and with the places when it is not
 * unique.
 */
export function applyEdit(text: string, edit: Edit): EditResult {
  const old = edit.old.replaceAll('\r\n', '\n')
  if (old === '')
    return { ok: false, reason: '`old` is empty: name the text to replace, or use write_file for a whole file' }
  if (!edit.old.isWellFormed() || !edit.new.isWellFormed())
    return { ok: false, reason: '`old` or `new` is not valid Unicode: it contains half a character' }
  if (old === edit.new.replaceAll('\r\n', '\n'))
    return { ok: false, reason: '`old` and `new` are the same: nothing to do' }
  const places = findAll(text, old)
  if (places.length === 0) return { ok: false, reason: missing(text, old) }
  if (places.length > 1 && !edit.all) {
    const lines = places.slice(0, mostPlacesShown).map((place) => lineOf(text, place.start))
    const more = places.length > lines.length ? ` and ${places.length - lines.length} more places` : ''
    return {
      ok: false,
      reason: `\`old\` is not unique: it occurs at lines ${lines.join(', ')}${more}; give more of the surrounding text, or set all`,
    }
  }
  const fallback = text.includes('\r\n') && !/(^|[^\r])\n/.test(text) ? '\r\n' : '\n'
  let result = ''
  let from = 0
  for (const { start, end } of places) {
    const ending = endingOf(text.slice(start, end)) ?? fallback
    result += text.slice(from, start) + edit.new.replaceAll('\r\n', '\n').replaceAll('\n', ending)
    from = end
  }
  return { ok: true, text: result + text.slice(from), replaced: places.length }
}

interface Place {
  readonly start: number
  readonly end: number
}

/** Every place of `old`, not overlapping, where each LF of it stands for LF or CRLF. */
function findAll(text: string, old: string): readonly Place[] {
  const shortened: number[] = []
  const plain = text.replaceAll('\r\n', (_, at: number) => {
    shortened.push(at - shortened.length)
    return '\n'
  })
  let passed = 0
  const inText = (at: number) => {
    while ((shortened[passed] ?? at) < at) passed += 1
    return at + passed
  }
  const places: Place[] = []
  for (let at = plain.indexOf(old); at >= 0; at = plain.indexOf(old, at + old.length)) {
    places.push({ start: inText(at), end: inText(at + old.length) })
  }
  return places
}

function endingOf(text: string): string | null {
  const at = text.indexOf('\n')
  if (at < 0) return null
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/**
 * The window of lines that has the most in common with the beginning of `old`, white space aside.
 */
function missing(text: string, old: string): string {
  const wanted = old.split('\n', windowLines).map((line) => ({ line: line.trim(), words: wordsOf(line) }))
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const scores = new Float64Array(lines.length)
  for (const [at, line] of lines.entries()) {
    const words = wordsOf(line)
    for (const [i, each] of wanted.entries()) {
      if (i <= at) scores[at - i] = (scores[at - i] ?? 0) + similarity({ line: line.trim(), words }, each)
    }
  }
  const best = scores.reduce((most, score, at) => (score > (scores[most] ?? 0) ? at : most), 0)
  if ((scores[best] ?? 0) < 0.5) return '`old` is not in the file, nor is anything like it. Read the file again'
  const shown = lines.slice(best, best + wanted.length).map((line, i) => `${best + i + 1}\t${line.slice(0, 300)}`)
  return `\`old\` is not in the file. The nearest match:\n${shown.join('\n')}`
}

interface Line {
  readonly line: string
  readonly words: ReadonlySet<string>
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.split(/\W+/).filter(Boolean))
}

/** 1 for equal lines, else the share of words in common, at most 0.9; nothing for an empty line. */
function similarity(line: Line, wanted: Line): number {
  if (wanted.line === '') return 0
  if (line.line === wanted.line) return 1
  if (wanted.words.size === 0) return 0
  let common = 0
  for (const word of line.words) if (wanted.words.has(word)) common += 1
  return Math.min(0.9, common / wanted.words.size)
}
