import { findLines, type IgnoredDifference, type Place } from './find-lines.ts'
import { changesBetween, linesBefore, type Splice, splicesOf } from './line-change.ts'
import { nearestLines } from './nearest-lines.ts'
import { linesOf, numberedLines, type TextLine, usualEnding } from './text-lines.ts'

export interface Edit {
  /** Text to find. */
  readonly old: string
  readonly new: string
  /** True to replace every occurrence instead of exactly one. */
  readonly all: boolean
}

type Differing = Exclude<IgnoredDifference, 'nothing'> | 'line ending around it'

export type EditResult =
  | {
      readonly ok: true
      readonly text: string
      readonly replaced: number
      /** Differences to the edit that were ignored; empty if the file matched exactly. */
      readonly ignored: readonly Differing[]
    }
  | { readonly ok: false; readonly reason: string }

/** Most places of an ambiguous `old`, and most lines, that a message shows. */
const mostPlacesShown = 20

/**
 * Makes all edits of a file, each found in the text as it is before, or none. Changes nothing else.
 * A line ending inside `old` matches LF and CRLF alike, and the new text takes the line ending of
 * the old. A byte order mark and the final newline stay. An `old` that is not in the text is looked
 * for as lines whose white space at the end, or whose indentation, is another; then lines that an
 * edit keeps stay as the file has them, and new ones get the file's indentation. Fails with the
 * nearest match when `old` is missing, and with the places when it is not unique.
 */
export function applyEdits(text: string, edits: readonly Edit[]): EditResult {
  const made = edits.map((edit) => spliceText(text, edit))
  const splices: (Splice & { readonly edit: number })[] = []
  for (const [i, each] of made.entries()) {
    if (!each.ok) return { ok: false, reason: edits.length === 1 ? each.reason : nothingMade(i, each.reason) }
    splices.push(...each.splices.map((splice) => ({ ...splice, edit: i })))
  }
  splices.sort((a, b) => a.start - b.start || a.end - b.end)
  let result = ''
  let [from, before] = [0, 0]
  for (const [i, { start, end, text: put, edit }] of splices.entries()) {
    if (i > 0 && (start < from || start === splices[i - 1]?.start)) {
      const line = text.slice(0, start).split('\n').length
      return {
        ok: false,
        reason: nothingMade(edit, `it changes line ${line}, as edit ${before + 1} does: make them one`),
      }
    }
    result += text.slice(from, start) + put
    ;[from, before] = [end, edit]
  }
  const done = made.filter((each) => each.ok)
  return {
    ok: true,
    text: result + text.slice(from),
    replaced: done.reduce((sum, { places }) => sum + places, 0),
    ignored: [...new Set(done.flatMap(({ ignored }) => ignored ?? []))],
  }
}

function nothingMade(index: number, reason: string): string {
  return `no edit was made. Edit ${index + 1}: ${reason}`
}

type SpliceResult =
  | {
      readonly ok: true
      readonly splices: readonly Splice[]
      readonly places: number
      readonly ignored: Differing | null
    }
  | { readonly ok: false; readonly reason: string }

function spliceText(text: string, edit: Edit): SpliceResult {
  const [old, put] = [edit.old, edit.new].map((each) => each.replaceAll('\r\n', '\n')) as [string, string]
  if (old === '') return refused('`old` is empty: name the text to replace, or use write_file for a whole file')
  if (!old.isWellFormed() || !put.isWellFormed())
    return refused('`old` or `new` is not valid Unicode: it contains half a character')
  if (old === put) return refused('`old` and `new` are the same: nothing to do')
  const spans = findAll(text, old, edit.all ? old.length : 1)
  if (spans.length === 0) return spliceLines(text, { old, new: put, all: edit.all })
  if (spans.length > 1 && !edit.all) {
    const where = listed(spans, ({ start }) => text.slice(0, start).split('\n').length)
    return refused(`\`old\` is not unique: it occurs at lines ${where}; give more of the surrounding text, or set all`)
  }
  const splices = spans.map(({ start, end }): Splice => {
    const ending = endingOf(text.slice(start, end)) ?? usualEnding(text)
    return { start, end, text: put.replaceAll('\n', ending) }
  })
  return { ok: true, splices, places: spans.length, ignored: null }
}

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The places of `old`, where each LF of it stands for LF or CRLF. With a step of 1 they are all,
 * with its length those that do not overlap.
 */
function findAll(text: string, old: string, step: number): readonly Span[] {
  const shortened: number[] = []
  const plain = text.replaceAll('\r\n', (_, at: number) => {
    shortened.push(at - shortened.length)
    return '\n'
  })
  /** Maps places of `plain` to places of the text; calls must go from its beginning to its end. */
  const createPlaces = () => {
    let passed = 0
    return (at: number) => {
      while ((shortened[passed] ?? at) < at) passed += 1
      return at + passed
    }
  }
  const [startOf, endOf] = [createPlaces(), createPlaces()]
  const spans: Span[] = []
  for (let at = plain.indexOf(old); at >= 0; at = plain.indexOf(old, at + step)) {
    spans.push({ start: startOf(at), end: endOf(at + old.length) })
  }
  return spans
}

function endingOf(text: string): string | null {
  const at = text.indexOf('\n')
  if (at < 0) return null
  return text[at - 1] === '\r' ? '\r\n' : '\n'
}

/** The edit as one of whole lines. */
function spliceLines(text: string, { old, new: put, all }: Edit): SpliceResult {
  const lines = linesOf(text)
  const changes = changesBetween(...wholeLines(old, put))
  const wanted = linesBefore(changes)
  const { places, ...found } = findLines(lines, changes)
  const ignored = found.ignored === 'nothing' ? 'line ending around it' : found.ignored
  const [first] = places
  if (!first) return refused(missing(lines, wanted))
  if (places.length > 1 && !all) {
    const where = listed(places, ({ at }) => at + 1)
    return refused(
      `\`old\` is not in the file as written, and without its ${ignored} it is not unique: it occurs at lines ${where}; copy it as the file has it, with more of the surrounding text`,
    )
  }
  const unclear = places.find(({ isUnclear }) => isUnclear)
  if (unclear) {
    const shown = numberedLines(lines, unclear.at, Math.min(wanted.length, mostPlacesShown))
    return refused(
      `the file has \`old\` with another indentation, which does not show how to indent \`new\`. Write both with the indentation of the file:\n${shown}`,
    )
  }
  const apart: Place[] = []
  for (const place of places) {
    const last = apart.at(-1)
    if (!last || place.at >= last.at + wanted.length) apart.push(place)
  }
  const ending = usualEnding(text)
  const splices = apart.flatMap(({ at, indents }) => splicesOf({ lines, at, changes, indents, ending }))
  return { ok: true, splices, places: apart.length, ignored }
}

/** The lines of both texts; an empty line that begins or ends both is dropped. */
function wholeLines(old: string, put: string): [readonly string[], readonly string[]] {
  let [before, after] = [old, put]
  if (before.startsWith('\n') && after.startsWith('\n')) [before, after] = [before.slice(1), after.slice(1)]
  const isEnded = before.endsWith('\n')
  if (isEnded) before = before.slice(0, -1)
  const rest = isEnded && after.endsWith('\n') ? after.slice(0, -1) : after
  return [before.split('\n'), isEnded && after === '' ? [] : rest.split('\n')]
}

function missing(lines: readonly TextLine[], wanted: readonly string[]): string {
  if (wanted.every((line) => /^ *\d+\t/.test(line)))
    return '`old` begins its lines with their numbers, as read_file shows them: leave the numbers out'
  const nearest = nearestLines(lines, wanted)
  return nearest === null
    ? '`old` is not in the file, nor is anything like it. Read the file again'
    : `\`old\` is not in the file. ${nearest}`
}

function listed<Each>(places: readonly Each[], lineOf: (place: Each) => number): string {
  const shown = places.slice(0, mostPlacesShown).map(lineOf)
  const more = places.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more places` : ''}`
}

function refused(reason: string): SpliceResult {
  return { ok: false, reason }
}
