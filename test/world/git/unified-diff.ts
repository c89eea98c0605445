import { blobOf, type Entry, isText, type Tree, textOf } from '../objects.ts'
import { percentOf } from './changes.ts'
import { lineOps, type Op } from './lines.ts'
import { type Pair, pairsBetween } from './renames.ts'

const context = 3

/** The diff between two trees in the format of `git diff-tree --patch --find-renames`. */
export function unifiedDiff(before: Tree, after: Tree, folder?: string): string {
  const at = folder === undefined ? '' : `${folder}/`
  return pairsBetween(before, after)
    .flatMap((pair) => (isOtherKind(pair) ? apart(pair) : [pair]))
    .map((pair) => patchOf(pair, at))
    .join('')
}

/** True if a file has become a link or the other way round. */
function isOtherKind({ before, after }: Pair): boolean {
  return before !== undefined && after !== undefined && (before.mode === '120000') !== (after.mode === '120000')
}

function apart(pair: Pair): readonly Pair[] {
  return [
    { ...pair, after: undefined },
    { ...pair, before: undefined },
  ]
}

function patchOf({ from, to, before, after, alike }: Pair, at: string): string {
  const [a, b] = [quoted(`a/${at}${from}`), quoted(`b/${at}${to}`)]
  const head = [`diff --git ${a} ${b}`]
  if (before === undefined) head.push(`new file mode ${after?.mode}`)
  else if (after === undefined) head.push(`deleted file mode ${before.mode}`)
  else if (before.mode !== after.mode) head.push(`old mode ${before.mode}`, `new mode ${after.mode}`)
  if (alike !== null)
    head.push(`similarity index ${percentOf(alike)}%`, `rename from ${quoted(from)}`, `rename to ${quoted(to)}`)
  if (before !== undefined && after?.bytes.equals(before.bytes)) return `${head.join('\n')}\n`
  const kept = before?.mode === after?.mode ? ` ${before?.mode}` : ''
  head.push(`index ${shortOf(before)}..${shortOf(after)}${kept}`)
  const [old, now] = [before === undefined ? '/dev/null' : a, after === undefined ? '/dev/null' : b]
  if ([before, after].some((entry) => entry !== undefined && !isText(entry)))
    return `${[...head, `Binary files ${old} and ${now} differ`].join('\n')}\n`
  const hunks = hunksOf(before === undefined ? '' : textOf(before), after === undefined ? '' : textOf(after))
  const files = hunks === '' ? [] : [`--- ${tabbed(old)}`, `+++ ${tabbed(now)}`]
  return `${[...head, ...files].join('\n')}\n${hunks}`
}

const shortOf = (entry: Entry | undefined) => (entry === undefined ? '0000000' : blobOf(entry).slice(0, 7))

/** A name with a space ends in a tab, so that patch(1) finds its end. */
const tabbed = (name: string) => (name.includes(' ') ? `${name}\t` : name)

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '"': '\\"', '\\': '\\\\' }

/** A name in git's form with `core.quotePath=false`. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that git escapes.
  const escaped = name.replace(/[\x00-\x1f"\\\x7f]/g, (char) => {
    const octal = char.charCodeAt(0).toString(8).padStart(3, '0')
    return escapes[char] ?? `\\${octal}`
  })
  return escaped === name ? name : `"${escaped}"`
}

interface HunkLine {
  readonly op: Op[0]
  readonly text: string
  /** Number of earlier lines, in the old text and in the new one. */
  readonly a: number
  readonly b: number
}

function hunksOf(before: string, after: string): string {
  let [a, b] = [0, 0]
  const lines = lineOps(before, after).map(([op, text]): HunkLine => {
    const placed = { op, text, a, b }
    if (op !== 1) a += 1
    if (op !== -1) b += 1
    return placed
  })
  const groups: [first: number, last: number][] = []
  for (const [i, { op }] of lines.entries()) {
    if (op === 0) continue
    const last = groups.at(-1)
    if (last !== undefined && i - last[1] - 1 <= 2 * context) last[1] = i
    else groups.push([i, i])
  }
  return groups.map(([first, last]) => hunkOf(lines, Math.max(0, first - context), last + context + 1)).join('')
}

function hunkOf(lines: readonly HunkLine[], from: number, to: number): string {
  const part = lines.slice(from, to)
  const { a = 0, b = 0 } = part[0] ?? {}
  const range = (start: number, count: number) =>
    count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`
  const [olds, news] = ([1, -1] as const).map((other) => part.filter(({ op }) => op !== other).length)
  const heading = lines
    .slice(0, from)
    .filter(({ op }) => op !== 1)
    .findLast(({ text }) => /^[A-Za-z_$]/.test(text))
  const shown = heading === undefined ? '' : ` ${Buffer.from(heading.text).subarray(0, 80).toString().trimEnd()}`
  const body = part.map(({ op, text }) => {
    const marked = `${op === 0 ? ' ' : op === 1 ? '+' : '-'}${text}`
    return text.endsWith('\n') ? marked : `${marked}\n\\ No newline at end of file\n`
  })
  return `@@ -${range(a, olds ?? 0)} +${range(b, news ?? 0)} @@${shown}\n${body.join('')}`
}
