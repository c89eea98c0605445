import { Refusal } from './refusal.ts'

const mostAlternatives = 200

/** One character of a name, or any number of characters. */
type Piece = { readonly any: true } | { readonly any: false; readonly matches: (char: string) => boolean }
/** One name of a path, or any number of folders. */
type Segment = '**' | readonly Piece[]

/**
 * Returns a matcher for paths below a folder and a glob of `*`, `**`, `?`, `[abc]` and `{a,b}`.
 * Names with a leading dot are ordinary names. The time is at most the length of the path times the
 * length of the glob, for each of at most 200 alternatives; a regular expression of the kind that
 * picomatch creates takes 5 s for seven stars and a name of 60 characters. Throws Refusal
 * `bad_pattern` for more alternatives, and for any other syntax.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (/[!@?*+]\(/.test(glob)) throw new Refusal('bad_pattern', 'A glob has only *, **, ?, [abc] and {a,b}')
  const patterns = alternatives(glob).map((one) => ({ segments: segmentsOf(one), end: plainEnd(one) }))
  return (path) => {
    const possible = patterns.filter(({ end }) => path.endsWith(end))
    if (possible.length === 0) return false
    const names = path.split('/')
    return possible.some(({ segments }) => matchSegments(segments, names))
  }
}

/** The suffix of every matching path, which excludes most paths cheaply. */
function plainEnd(glob: string): string {
  return /[^*?[\]\\{}/]*$/.exec(glob)?.[0] ?? ''
}

/** The expansions of a glob's braces, which may be nested. */
export function alternatives(glob: string): readonly string[] {
  const done: string[] = []
  const open = [glob]
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const found = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(each)
    if (found === null) done.push(each)
    else open.push(...(found[2] ?? '').split(',').map((inside) => `${found[1]}${inside}${found[3]}`))
    if (open.length + done.length > mostAlternatives)
      throw new Refusal('bad_pattern', `A glob has at most ${mostAlternatives} alternatives in braces`)
  }
  return [...new Set(done)]
}

function segmentsOf(glob: string): readonly Segment[] {
  const parts = glob.split('/').map((part) => (part === '**' ? part : piecesOf(part)))
  return parts.filter((part, i) => part !== '**' || parts[i - 1] !== '**')
}

function piecesOf(part: string): readonly Piece[] {
  const tokens = part.match(/\*+|\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? []
  return tokens.map((token) => (/^\*/.test(token) ? { any: true } : { any: false, matches: matcherOf(token) }))
}

function matcherOf(token: string): (char: string) => boolean {
  if (token === '?') return () => true
  if (token.length < 3 || !token.startsWith('[')) {
    const plain = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
    return (char) => char === plain
  }
  const isNegated = /^\[[!^]/.test(token)
  const chars = [...token.slice(isNegated ? 2 : 1, -1)]
  const ranges = chars.flatMap((char, i) => {
    if (char === '-' && i > 0 && i < chars.length - 1) return []
    const isRange = chars[i + 1] === '-' && i + 2 < chars.length
    return [[char, isRange ? (chars[i + 2] ?? char) : char] as const]
  })
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== isNegated
}

/** Dynamic programming by rows: the prefixes of the path that the pattern so far can match. */
function matchSegments(pattern: readonly Segment[], names: readonly string[]): boolean {
  let reached: readonly boolean[] = [true, ...names.map(() => false)]
  for (const [i, segment] of pattern.entries()) {
    const isLast = i === pattern.length - 1
    const before = reached
    if (segment === '**') {
      const first = before.indexOf(true)
      // As the last segment, `**` stands for at least one name, unless it is the whole glob.
      reached = before.map((_, n) => first >= 0 && n >= first + (isLast && i > 0 ? 1 : 0))
    } else {
      reached = before.map((_, n) => n > 0 && before[n - 1] === true && matchName(segment, names[n - 1] ?? ''))
    }
    if (!reached.includes(true)) return false
  }
  return reached.at(-1) === true
}

/** Backtracks to the last star only, since earlier ones allow nothing that this one does not. */
function matchName(pieces: readonly Piece[], name: string): boolean {
  const chars = [...name]
  if (name === '') return pieces.length === 0
  let [at, piece] = [0, 0]
  let star: { readonly piece: number; at: number } | null = null
  while (at < chars.length) {
    const current = pieces[piece]
    if (current?.any) {
      star = { piece, at }
      piece += 1
    } else if (current?.matches(chars[at] ?? '')) {
      at += 1
      piece += 1
    } else if (star !== null) {
      star.at += 1
      at = star.at
      piece = star.piece + 1
    } else return false
  }
  return pieces.slice(piece).every(({ any }) => any)
}
