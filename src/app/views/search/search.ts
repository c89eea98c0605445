import type { z } from 'zod'
import { foundKinds, type Search, type SearchResults, type searchQuerySchema } from '../../../api/search.ts'
import { limits } from '../../../domain/limits.ts'
import type { ViewSources } from '../view-sources.ts'
import { type Entry, type IndexedRun, readIndexedRun } from './indexed-run.ts'

/**
 * Finds words in Runs, stories, changed files, tests and messages. The index is kept in memory,
 * newest Runs first. A search only reads changes since the last search, from a limited number of
 * Runs, and reports how many Runs were left out.
 */
export function createSearch({ records }: Pick<ViewSources, 'records'>) {
  /** The index by Run, with the newest event first. */
  const index = new Map<string, IndexedRun>()
  let stale: readonly string[] = []
  let seen = 0
  let reading: Promise<void> = Promise.resolve()

  async function readOn(first: string | undefined): Promise<void> {
    const last = await records.lastEvent()
    const changed = await records.runsSince(seen)
    seen = last
    stale = [...new Set([...changed, ...stale])]
    const next = stale.toSorted((a, b) => Number(b === first) - Number(a === first)).slice(0, limits.search.runsAtOnce)
    for (const id of next) {
      const others = [...index].reduce((sum, [other, { chars }]) => (other === id ? sum : sum + chars), 0)
      const found = await readIndexedRun(records, id, { known: index.get(id), room: limits.search.chars - others })
      if (found === null) index.delete(id)
      else index.set(id, found)
      stale = stale.filter((each) => each !== id)
    }
  }

  return async function search({ text, run }: z.output<typeof searchQuerySchema>): Promise<Search> {
    // Searches take turns, since two at once would read each Run twice.
    const own = reading.catch(() => undefined).then(() => readOn(run))
    reading = own
    await own
    return { ...bestOf(index, { words: wordsOf(text), run }), unread: stale.length }
  }
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, limits.search.words)
}

interface SearchQuery {
  readonly words: readonly string[]
  readonly run: string | undefined
}

interface Hit {
  readonly run: string
  readonly entry: Entry
  readonly score: number
}

function bestOf(index: ReadonlyMap<string, IndexedRun>, { words, run }: SearchQuery): Omit<Search, 'unread'> {
  const hits: Hit[] = []
  for (const [id, { heads, details }] of index) {
    for (const entries of [heads, details]) {
      for (const entry of entries) {
        if (!words.every((word) => entry.words.includes(word))) continue
        hits.push({ run: id, entry, score: scoreOf(entry.words, words) + (id === run ? 4 : 0) })
      }
    }
  }
  const best = foundKinds.flatMap((kind) =>
    hits
      .filter(({ entry }) => entry.kind === kind)
      .toSorted(
        (a, b) => b.score - a.score || b.run.localeCompare(a.run) || a.entry.words.length - b.entry.words.length,
      )
      .slice(0, limits.search.ofKind),
  )
  return { found: best.map((hit) => toFound(hit, index, words)), more: hits.length - best.length }
}

/** Ranks highest if the text begins with the first search word, next if one of its words does. */
function scoreOf(text: string, [first = '']: readonly string[]): number {
  const at = text.indexOf(first)
  if (at === 0) return 2
  return /[\s/_.-]/.test(text[at - 1] ?? '') ? 1 : 0
}

function toFound({ run, entry }: Hit, index: ReadonlyMap<string, IndexedRun>, words: readonly string[]): SearchResults {
  const { kind, story, id } = entry
  return { kind, text: excerptOf(entry.text, words), run, run_title: index.get(run)?.title ?? '', story, id }
}

/** The part of a long text that contains the first search word. */
function excerptOf(text: string, [first = '']: readonly string[]): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= limits.search.excerptChars) return line
  const at = Math.max(0, line.toLowerCase().indexOf(first) - limits.search.excerptChars / 4)
  const part = line.slice(at, at + limits.search.excerptChars)
  return `${at > 0 ? '…' : ''}${part}${at + limits.search.excerptChars < line.length ? '…' : ''}`
}
