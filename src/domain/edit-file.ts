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

/**
 * Replaces text in a file and touches nothing else: a line ending inside `old` matches LF and CRLF alike, and what is put in takes the ending of what
 * it replaces; byte order mark and final newline stay. Fails, with the nearest match, when `old` is missing, and with the places when it is not
 * unique.
 */
export function applyEdit(text: string, edit: Edit): EditResult {
  const old = edit.old.replaceAll('\r\n', '\n')
  if (old === '')
    return { ok: false, reason: '`old` is empty: name the text to replace, or use write_file for a whole file' }
  if (old === edit.new.replaceAll('\r\n', '\n'))
    return { ok: false, reason: '`old` and `new` are the same: nothing to do' }
  const places = findAll(text, old)
  if (places.length === 0) return { ok: false, reason: missing(text, old) }
  if (places.length > 1 && !edit.all) {
    const lines = places.map((place) => lineOf(text, place.start)).join(', ')
    return {
      ok: false,
      reason: `\`old\` is not unique: it is found at lines ${lines}; give more of the text around it, or set all`,
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
  const pattern = old
    .split('\n')
    .map((line) => line.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\r?\\n')
  return [...text.matchAll(new RegExp(pattern, 'gu'))].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function endingOf(text: string): string | null {
  const at = text.indexOf('\n')
  if (at < 0) return null
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** The window of lines that has the most in common with `old`, white space aside. */
function missing(text: string, old: string): string {
  const wanted = old.split('\n').map((line) => line.trim())
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  let best = { score: 0, at: 0 }
  for (let at = 0; at < lines.length; at += 1) {
    let score = 0
    for (let i = 0; i < wanted.length; i += 1) {
      if (wanted[i] !== '') score += similarity(lines[at + i]?.trim() ?? '', wanted[i] ?? '')
    }
    if (score > best.score) best = { score, at }
  }
  if (best.score < 0.5) return '`old` is not in the file, nor anything like it; read the file again'
  const window = lines.slice(best.at, best.at + Math.min(wanted.length, 20))
  const shown = window.map((line, i) => `${best.at + i + 1}\t${line.slice(0, 300)}`).join('\n')
  return `\`old\` is not in the file. The nearest match:\n${shown}`
}

/** 1 for equal lines, else the share of words in common, at most 0.9. */
function similarity(line: string, wanted: string): number {
  if (line === wanted) return 1
  const words = new Set(wanted.split(/\W+/).filter(Boolean))
  if (words.size === 0) return 0
  let common = 0
  for (const word of new Set(line.split(/\W+/))) if (words.has(word)) common += 1
  return Math.min(0.9, common / words.size)
}
