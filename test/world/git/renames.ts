import { blobOf, byBytes, type Entry, type Tree } from '../objects.ts'

/** A path that differs between two trees; a rename has two paths. */
export interface Pair {
  readonly from: string
  readonly to: string
  readonly before: Entry | undefined
  readonly after: Entry | undefined
  /** The similarity of a rename's two sides, up to `mostAlike`; null for other changes. */
  readonly alike: number | null
}

/** Git's score for two files with equal content. */
export const mostAlike = 60_000
const leastAlike = mostAlike / 2
/** From this score on files of the same name count as a rename, without comparing others. */
const leastAlikeOfOneName = leastAlike + (mostAlike - leastAlike) / 2

/** Git's own measure: bytes of lines, cut at 64 bytes. */
function chunksOf({ bytes }: Entry): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of bytes
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .match(/[^\n]{1,63}\n|[^\n]{1,64}|\n/g) ?? [])
    counts.set(line, (counts.get(line) ?? 0) + line.length)
  return counts
}

function similarity(before: Entry, after: Entry): number {
  if (before.mode === '120000' || after.mode === '120000') return 0
  const [least, most] = [before.bytes.length, after.bytes.length].sort((a, b) => a - b) as [number, number]
  if (most === 0 || most * (mostAlike - leastAlike) < (most - least) * mostAlike) return 0
  const there = chunksOf(after)
  let copied = 0
  for (const [line, size] of chunksOf(before)) copied += Math.min(size, there.get(line) ?? 0)
  return Math.floor((copied * mostAlike) / most)
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const hasOneName = (a: string, b: string) => nameOf(a) === nameOf(b)

/** The path of each file name that occurs once. */
function byOnlyName(paths: Iterable<string>): ReadonlyMap<string, string> {
  const groups = Map.groupBy(paths, nameOf)
  return new Map([...groups].flatMap(([name, [path = '', ...more]]) => (more.length === 0 ? [[name, path]] : [])))
}

/**
 * The paths that differ between two trees, in the order of the new ones, with git's rename
 * detection: equal content first, then files of one name, then the most similar.
 */
export function pairsBetween(before: Tree, after: Tree, { emptyToo = true } = {}): readonly Pair[] {
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  const made = new Map([...after].filter(([path]) => !before.has(path)))
  const renames = new Map<string, { readonly from: string; readonly alike: number }>()
  const take = (from: string, to: string, alike: number) => {
    renames.set(to, { from, alike })
    gone.delete(from)
    made.delete(to)
  }
  for (const [to, entry] of made) {
    if (!emptyToo && entry.bytes.length === 0) continue
    const same = [...gone].filter(
      ([, old]) =>
        blobOf(old) === blobOf(entry) && (old.mode === entry.mode || ![old.mode, entry.mode].includes('120000')),
    )
    const from = (same.find(([path]) => hasOneName(path, to)) ?? same[0])?.[0]
    if (from !== undefined) take(from, to, mostAlike)
  }
  const madeByName = byOnlyName(made.keys())
  for (const [name, from] of byOnlyName(gone.keys())) {
    const to = madeByName.get(name)
    const [old, entry] = [gone.get(from), made.get(to ?? '')]
    if (to === undefined || old === undefined || entry === undefined) continue
    const alike = similarity(old, entry)
    if (alike >= leastAlikeOfOneName) take(from, to, alike)
  }
  const candidates = [...made].flatMap(([to, entry]) =>
    [...gone].map(([from, old]) => ({ from, to, alike: similarity(old, entry), isOneName: hasOneName(from, to) })),
  )
  candidates.sort((a, b) => b.alike - a.alike || Number(b.isOneName) - Number(a.isOneName))
  for (const { from, to, alike } of candidates)
    if (alike >= leastAlike && gone.has(from) && made.has(to)) take(from, to, alike)

  const pairs: Pair[] = []
  for (const [path, entry] of before) {
    const now = after.get(path)
    const isRenamed = [...renames.values()].some(({ from }) => from === path)
    if (now === undefined && !isRenamed) pairs.push({ from: path, to: path, before: entry, after: now, alike: null })
    else if (now !== undefined && (now.mode !== entry.mode || !now.bytes.equals(entry.bytes)))
      pairs.push({ from: path, to: path, before: entry, after: now, alike: null })
  }
  for (const [path, entry] of after) {
    if (before.has(path)) continue
    const { from = path, alike = null } = renames.get(path) ?? {}
    pairs.push({ from, to: path, before: before.get(from), after: entry, alike })
  }
  return pairs.sort((a, b) => byBytes(a.to, b.to))
}
