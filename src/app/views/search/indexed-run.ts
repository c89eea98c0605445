import type { SearchResults } from '../../../api/search.ts'
import { limits } from '../../../domain/limits.ts'
import { titleOf } from '../../../domain/run/title.ts'
import { shownTitle } from '../../../domain/story/planned-story.ts'
import { firstLine } from '../../../domain/text.ts'
import type { Manifest } from '../../../domain/verification/verdict.ts'
import type { Records } from '../../../ports/store.ts'

/** A searchable text, and the page that it leads to. */
export interface Entry extends Pick<SearchResults, 'kind' | 'text' | 'story' | 'id'> {
  /** The text in lower case, with further search words. */
  readonly words: string
}

/**
 * The searchable texts of a Run. Messages and verifications never change, so they are read once.
 */
export interface IndexedRun {
  readonly title: string
  /** The Run and its stories. */
  readonly heads: readonly Entry[]
  /** The files, tests and messages of the Run. */
  readonly details: readonly Entry[]
  readonly chars: number
  readonly lastMessage: string
  readonly verifications: ReadonlySet<string>
}

const nothing: IndexedRun = {
  title: '',
  heads: [],
  details: [],
  chars: 0,
  lastMessage: '0',
  verifications: new Set<string>(),
}

/** Null if the Run does not exist. `room` is the number of characters that its details may have. */
export async function readIndexedRun(
  records: Records,
  id: string,
  { known = nothing, room }: { readonly known: IndexedRun | undefined; readonly room: number },
): Promise<IndexedRun | null> {
  const run = await records.machineOf('run', id)
  if (run === null) return null
  const title = firstLine(titleOf(run))
  const stories = await records.machines({ kind: 'story', run: id })
  const planned = run.data.stories ?? stories.flatMap(({ data }) => data.planned ?? [])
  const heads = [
    entry({ kind: 'run', text: title, story: null, id }, `${run.data.request.kind} ${run.data.branch ?? ''} ${id}`),
    ...planned.map((story) =>
      entry({ kind: 'story', text: shownTitle(story), story: story.id, id: story.id }, story.id),
    ),
  ]
  const details = collect(known.details, Math.min(room, limits.search.charsOfRun))
  for (const { story, data } of stories) {
    for (const file of data.summary?.files ?? []) details.add({ kind: 'file', text: file, story, id: file })
  }
  const marks = await records.recentEvents({
    run: id,
    types: ['verification'] as const,
    limit: limits.search.textsOfRun,
  })
  const unread = marks.filter(({ data }) => !known.verifications.has(data.run_id))
  for (const { story, data } of unread) {
    if (details.isFull()) break
    const manifest = (await records.verification(data.run_id))?.manifest ?? null
    if (manifest === null) continue
    for (const { path } of manifest.files ?? []) details.add({ kind: 'file', text: path, story, id: path })
    for (const test of testsOf(manifest)) details.add({ kind: 'test', text: test, story, id: data.run_id })
  }
  const messages = await records.chat({ run: id, after: known.lastMessage })
  for (const message of messages) {
    if (details.isFull()) break
    details.add({ kind: 'message', text: message.content, story: message.story, id: message.id })
  }
  return {
    title,
    heads,
    ...details.all(),
    lastMessage: messages.at(-1)?.id ?? known.lastMessage,
    verifications: new Set(marks.map(({ data }) => data.run_id)),
  }
}

/**
 * The tests that a verification names: failed tests, flaky tests, and tests of the change itself.
 */
function testsOf({ failing = [], flaky = [], pre_existing = [], integrity }: Manifest): readonly string[] {
  const proof = integrity?.proof
  const proven = proof?.status === 'proven' ? [...proof.failing, ...(proof.passing ?? [])] : []
  return [...failing, ...flaky, ...pre_existing, ...proven]
}

function entry(found: Pick<SearchResults, 'kind' | 'text' | 'story' | 'id'>, besides = ''): Entry {
  const text = found.text.slice(0, limits.search.textChars)
  return { ...found, text, words: `${text} ${besides}`.toLowerCase() }
}

/** Collects each text once per kind and story, up to the permitted size. */
function collect(before: readonly Entry[], room: number) {
  const nameOf = ({ kind, story, text, id }: Pick<Entry, 'kind' | 'story' | 'text' | 'id'>) =>
    JSON.stringify(kind === 'message' ? [kind, id] : [kind, story, text])
  const entries = new Map(before.map((each) => [nameOf(each), each]))
  let chars = before.reduce((sum, { words }) => sum + words.length, 0)
  const isFull = () => chars >= room || entries.size >= limits.search.textsOfRun
  return {
    isFull,
    add(found: Pick<SearchResults, 'kind' | 'text' | 'story' | 'id'>) {
      const name = nameOf(found)
      if (isFull() || entries.has(name)) return
      const added = entry(found)
      entries.set(name, added)
      chars += added.words.length
    },
    all: () => ({ details: [...entries.values()], chars }),
  }
}
