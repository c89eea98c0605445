import { diffArrays } from 'diff'
import { diff3MergeRegions } from 'node-diff3'
import { linesOf } from './lines.ts'

/** A part of a merged text. */
type Part =
  | { readonly kind: 'unchanged' | 'taken'; readonly lines: readonly string[] }
  | { readonly kind: 'conflict'; readonly ours: readonly string[]; readonly theirs: readonly string[] }

/** Conflicts with at most this many unchanged lines in between become one, as in git. */
const mostBetween = 3

/** The form of conflict markers. */
export interface Markers {
  readonly names: readonly [ours: string, theirs: string]
  /** Number of marker characters before the name; git's usual number is 7. */
  readonly size: number
}

/** Merges three texts by lines like git: where both sides changed, they stand between markers. */
export function mergeText(
  [base, ours, theirs]: readonly [base: string, ours: string, theirs: string],
  { names, size }: Markers,
): { readonly isClean: boolean; readonly text: string } {
  const parts = joined(partsOf(linesOf(base), linesOf(ours), linesOf(theirs)))
  const text = parts.flatMap((part) => {
    if (part.kind !== 'conflict') return part.lines
    return [
      `${'<'.repeat(size)} ${names[0]}\n`,
      ...part.ours.map(ended),
      `${'='.repeat(size)}\n`,
      ...part.theirs.map(ended),
      `${'>'.repeat(size)} ${names[1]}\n`,
    ]
  })
  return { isClean: parts.every(({ kind }) => kind !== 'conflict'), text: text.join('') }
}

const ended = (line: string) => (line.endsWith('\n') ? line : `${line}\n`)

function partsOf(base: string[], ours: string[], theirs: string[]): readonly Part[] {
  return diff3MergeRegions(ours, base, theirs).flatMap((region): readonly Part[] => {
    if (region.stable) return [{ kind: region.buffer === 'o' ? 'unchanged' : 'taken', lines: region.bufferContent }]
    const { aContent, bContent } = region
    if (aContent.join('') === bContent.join('')) return [{ kind: 'taken', lines: aContent }]
    return narrowed(aContent, bContent)
  })
}

/** Lines that both sides share are outside the conflict. */
function narrowed(ours: readonly string[], theirs: readonly string[]): readonly Part[] {
  if (ours.length === 0 || theirs.length === 0) return [{ kind: 'conflict', ours, theirs }]
  const parts: Part[] = []
  for (const { added, removed, value } of diffArrays([...ours], [...theirs])) {
    const last = parts.at(-1)
    if (!added && !removed) parts.push({ kind: 'unchanged', lines: value })
    else if (last?.kind === 'conflict') parts.splice(-1, 1, withMore(last, added ? [[], value] : [value, []]))
    else parts.push({ kind: 'conflict', ours: added ? [] : value, theirs: added ? value : [] })
  }
  return parts
}

type Conflict = Extract<Part, { readonly kind: 'conflict' }>

function withMore(conflict: Conflict, [ours, theirs]: readonly [readonly string[], readonly string[]]): Conflict {
  return { kind: 'conflict', ours: [...conflict.ours, ...ours], theirs: [...conflict.theirs, ...theirs] }
}

function joined(parts: readonly Part[]): readonly Part[] {
  const out: Part[] = []
  for (const part of parts) {
    const [before, between] = out.slice(-2)
    const isClose = between?.kind === 'unchanged' && between.lines.length <= mostBetween
    if (part.kind === 'conflict' && before?.kind === 'conflict' && between?.kind === 'unchanged' && isClose)
      out.splice(-2, 2, withMore(withMore(before, [between.lines, between.lines]), [part.ours, part.theirs]))
    else out.push(part)
  }
  return out
}
