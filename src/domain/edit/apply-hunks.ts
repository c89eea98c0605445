import { findLines, type IgnoredDifference, type Place } from './find-lines.ts'
import { type LineChange, linesBefore, type Splice, splicesOf } from './line-change.ts'
import { nearestLines } from './nearest-lines.ts'
import type { Hunk } from './parse-patch.ts'
import { linesOf, numberedLines, type TextLine, usualEnding } from './text-lines.ts'

export type PatchedText =
  | {
      readonly ok: true
      readonly text: string
      /** Differences to the patch that were ignored; empty if the file matched exactly. */
      readonly ignored: readonly Exclude<IgnoredDifference, 'nothing'>[]
    }
  | { readonly ok: false; readonly reason: string }

const mostShown = 20

interface HunkPlaces {
  readonly hunk: Hunk
  readonly places: readonly Place[]
  readonly ignored: IgnoredDifference
  /** Indexes of the lines from which the hunk's headers lead to it; empty without headers. */
  readonly headers: readonly number[]
}

class Wrong extends Error {}

/**
 * Makes the changes of all hunks, which follow each other in the order of the file, or none. A hunk
 * is found by its lines, as an edit is (`findLines`); a header says after which line. A hunk that
 * fits several places is refused with them.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): PatchedText {
  const lines = linesOf(text)
  try {
    const found = hunks.map((hunk, i) => findHunk(lines, hunk, nameOf(hunks, i)))
    const chosen = choose(lines, found)
    const splices = chosen.flatMap((place, i): readonly Splice[] => {
      const { changes } = found[i]?.hunk ?? { changes: [] }
      return splicesOf({ lines, at: place.at, changes, indents: place.indents, ending: usualEnding(text) })
    })
    const ignored = new Set(found.flatMap((each) => (each.ignored === 'nothing' ? [] : [each.ignored])))
    return { ok: true, text: spliced(text, splices), ignored: [...ignored] }
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, reason: error.message }
    throw error
  }
}

function nameOf(hunks: readonly Hunk[], index: number): string {
  return hunks.length === 1 ? 'its hunk' : `hunk ${index + 1}`
}

function findHunk(lines: readonly TextLine[], hunk: Hunk, name: string): HunkPlaces {
  const headers = findHeaders(lines, hunk.headers, name)
  const wanted = linesBefore(hunk.changes)
  if (wanted.length === 0) {
    if (hunk.headers.length > 0)
      throw new Wrong(`${name} has no line of the file: give the lines before or after the new ones`)
    return { hunk, places: [{ at: lines.length, indents: null, isUnclear: false }], ignored: 'nothing', headers }
  }
  const { places, ignored } = findLines(lines, hunk.changes)
  const fitting = hunk.isAtEnd ? places.filter(({ at }) => at + wanted.length === lines.length) : places
  if (fitting.length > 0) return { hunk, places: fitting, ignored, headers }
  if (places.length > 0) throw new Wrong(`the lines of ${name} are not at the end of the file, but at ${where(places)}`)
  const nearest = nearestLines(lines, wanted)
  throw new Wrong(
    nearest === null
      ? `the lines of ${name} are not in the file, nor is anything like them. Read the file again`
      : `the lines of ${name} are not in the file. ${nearest}`,
  )
}

/** The possible places of the last header, each after the one before it. */
function findHeaders(lines: readonly TextLine[], headers: readonly string[], name: string): readonly number[] {
  let from: readonly number[] = [-1]
  for (const header of headers) {
    const equal = lines.flatMap(({ text }, i) => (text.trim() === header ? [i] : []))
    const containing = lines.flatMap(({ text }, i) => (text.includes(header) ? [i] : []))
    const all = equal.length > 0 ? equal : containing
    const isFirst = header === headers[0]
    const next = isFirst ? all : from.flatMap((before) => all.find((at) => at > before) ?? [])
    if (next.length === 0) throw new Wrong(`no line of the file is \`@@ ${header.slice(0, 200)}\` of ${name}`)
    from = [...new Set(next)]
  }
  return headers.length === 0 ? [] : from
}

/** One place for each hunk, so that they follow each other; there must be exactly one way. */
function choose(lines: readonly TextLine[], found: readonly HunkPlaces[]): readonly Place[] {
  const latest = latestStarts(found)
  const chosen: Place[] = []
  let from = 0
  for (const [i, each] of found.entries()) {
    const name = nameOf(
      found.map(({ hunk }) => hunk),
      i,
    )
    const { places, hunk } = each
    const [before, after] = unchanged(hunk.changes)
    const ahead = places.filter(({ at }) => at + before >= from)
    const [first] = ahead
    if (!first)
      throw new Wrong(`${name} is at ${where(places)}, before the hunk that it follows: keep the order of the file`)
    const fitting = fittingPlaces(
      each,
      ahead.filter(({ at }) => at <= (latest[i] ?? at)),
    )
    const place = fitting[0] ?? first
    if (fitting.length > 1)
      throw new Wrong(
        `${name} fits several places, at ${where(fitting)}: give more lines around it, or \`@@\` and a line above`,
      )
    if (place.isUnclear) {
      const shown = numberedLines(lines, place.at, Math.min(linesBefore(hunk.changes).length, mostShown))
      throw new Wrong(
        `the file has the lines of ${name} with another indentation, which does not show how to indent the new ones. Write all with the indentation of the file:\n${shown}`,
      )
    }
    chosen.push(place)
    from = place.at + linesBefore(hunk.changes).length - after
  }
  return chosen
}

/** With headers, only the first place after each of them counts. */
function fittingPlaces({ headers }: HunkPlaces, places: readonly Place[]): readonly Place[] {
  if (headers.length === 0) return places
  return [...new Set(headers.flatMap((header) => places.find(({ at }) => at >= header) ?? []))]
}

/** For each hunk, the last line at which it can begin so that all later hunks still fit. */
function latestStarts(found: readonly HunkPlaces[]): readonly number[] {
  let limit = Number.POSITIVE_INFINITY
  const starts: number[] = []
  for (const { hunk, places } of found.toReversed()) {
    const [before, after] = unchanged(hunk.changes)
    const length = linesBefore(hunk.changes).length
    const last = places.findLast(({ at }) => at + length - after <= limit)
    starts.unshift(last?.at ?? Number.POSITIVE_INFINITY)
    limit = last ? last.at + before : limit
  }
  return starts
}

/** The numbers of unchanged lines before the first change of a hunk, and after the last. */
function unchanged(changes: readonly LineChange[]): readonly [number, number] {
  const first = changes.findIndex(({ kind }) => kind !== 'keep')
  if (first < 0) return [changes.length, 0]
  return [first, changes.length - 1 - changes.findLastIndex(({ kind }) => kind !== 'keep')]
}

function spliced(text: string, splices: readonly Splice[]): string {
  let result = ''
  let from = 0
  for (const { start, end, text: put } of splices) {
    result += text.slice(from, start) + put
    from = end
  }
  return result + text.slice(from)
}

function where(places: readonly Place[]): string {
  const shown = places.slice(0, mostShown).map(({ at }) => at + 1)
  const more = places.length > shown.length ? ` and ${places.length - shown.length} more` : ''
  return `line${places.length > 1 ? 's' : ''} ${shown.join(', ')}${more}`
}
