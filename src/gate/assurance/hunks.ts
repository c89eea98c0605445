import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { testParts } from '../../domain/gate/in-file-tests.ts'
import { maskCode, maskStrings } from '../../domain/gate/mask-code.ts'
import { limits } from '../../domain/limits.ts'

/** Lines of a file that a change replaced together. */
export interface Hunk {
  readonly file: string
  /**
   * Lines in the new file, from 1; for a pure removal, the line before which the removed ones
   * stood.
   */
  readonly start: number
  readonly end: number
  /** The hunk's first added line, else its first removed one, with its sign. */
  readonly text: string
  readonly added: number
  readonly removed: number
  /** The file's text without the hunk; null for a whole file that was added or removed. */
  readonly without: string | null
}

/** The old and new text of a code file; null where it is absent. */
export interface TwoTexts {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  /** The file's part of a unified diff. */
  readonly diff: string
}

/**
 * The hunks of one file that change the behaviour of a program. Hunks of comments, and of tests
 * inside the file, are left out.
 */
export function hunksOf({ path, before, after, diff }: TwoTexts): readonly Hunk[] {
  if (before === null || after === null) return wholeFile(path, before, after)
  const [old, now] = [linesOf(path, before), linesOf(path, after)]
  return grouped(changesOf(diff, { old, now }), now).flatMap((changes) => {
    const taken = changes.flatMap(({ at, added }) => now.code.slice(at, at + added))
    const given = changes.flatMap(({ removed }) => removed.map((line) => old.code[line] ?? ''))
    if (isSame(taken, given)) return []
    const [first, last] = [changes[0], changes.at(-1)]
    if (!first || !last) return []
    const added = changes.reduce((sum, each) => sum + each.added, 0)
    let lines = now.lines
    for (const { at, added, removed } of changes.toReversed()) {
      const before = removed.map((line) => old.lines[line] ?? '')
      lines = [...lines.slice(0, at), ...before, ...lines.slice(at + added)]
    }
    const shown = changes.find((each) => each.added > 0)
    const text = shown === undefined ? `-${old.lines[first.removed[0] ?? 0]}` : `+${now.lines[shown.at]}`
    return {
      file: path,
      start: first.at + 1,
      end: Math.max(first.at + 1, last.at + last.added),
      text: oneLine(text),
      added,
      removed: given.length,
      without: lines.join(''),
    }
  })
}

function wholeFile(file: string, before: string | null, after: string | null): readonly Hunk[] {
  const { lines, code, tests } = linesOf(file, after ?? before ?? '')
  const own = [...lines.keys()].filter((line) => !tests.has(line) && code[line]?.trim())
  const [first] = own
  if (first === undefined) return []
  const text = oneLine(`${after === null ? '-' : '+'}${lines[first]}`)
  const [added, removed] = after === null ? [0, own.length] : [own.length, 0]
  return [{ file, start: 1, end: after === null ? 1 : lines.length, text, added, removed, without: null }]
}

export interface Lines {
  /** Each line with its line ending. */
  readonly lines: readonly string[]
  /** The lines with comments removed. */
  readonly code: readonly string[]
  /** Numbers, from 0, of the lines that belong to tests. */
  readonly tests: ReadonlySet<number>
}

export function linesOf(path: string, text: string): Lines {
  const syntax = syntaxOf(path, text)
  const [bare, commented] = [maskCode(text, syntax), maskStrings(text, syntax)]
  const code = text.replaceAll(/[^\n]/g, (character, at: number) => (bare[at] === commented[at] ? character : ' '))
  const lines = text.split(/(?<=\n)/)
  const tests = new Set<number>()
  let [line, from] = [0, 0]
  for (const { start, end } of testParts(path, text)) {
    line += ends(text.slice(from, start))
    from = start
    const last = line + ends(text.slice(start, end).trimEnd())
    for (let own = line; own <= last; own += 1) tests.add(own)
  }
  return { lines: text === '' ? [] : lines, code: code.split('\n'), tests }
}

/** The number of line endings in a text. */
function ends(text: string): number {
  return text.split('\n').length - 1
}

/** Consecutive lines: `added` new ones at `at`, from 0, replace the old ones with these numbers. */
export interface LineChange {
  readonly at: number
  added: number
  readonly removed: number[]
}

export function changesOf(
  diff: string,
  { old, now }: { readonly old: Lines; readonly now: Lines },
): readonly LineChange[] {
  const found: LineChange[] = []
  let [before, after] = [0, 0]
  let current: LineChange | null = null
  let isHunk = false
  for (const line of diff.split('\n')) {
    const place = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
    if (place) {
      // For an empty range, a diff gives the number of the line before.
      before = Number(place[1]) - (place[2] === '0' ? 0 : 1)
      after = Number(place[3]) - (place[4] === '0' ? 0 : 1)
      isHunk = true
      current = null
      continue
    }
    if (!isHunk || !/^[ +-]/.test(line)) continue
    const sign = line[0]
    const isOwn = sign === '+' ? !now.tests.has(after) : sign === '-' && !old.tests.has(before)
    if (!isOwn) current = null
    else if (current === null) {
      current = { at: after, added: 0, removed: [] }
      found.push(current)
    }
    if (current !== null && sign === '+') current.added += 1
    if (current !== null && sign === '-') current.removed.push(before)
    if (sign !== '+') before += 1
    if (sign !== '-') after += 1
  }
  return found
}

/** Groups changes that are close together; a group is reverted as one. */
function grouped(changes: readonly LineChange[], { tests }: Lines): readonly (readonly LineChange[])[] {
  const groups: LineChange[][] = []
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1)
    const gap = last === undefined ? Number.POSITIVE_INFINITY : change.at - (last.at + last.added)
    if (gap <= limits.assurance.gapLines && !tests.has(change.at - 1)) groups.at(-1)?.push(change)
    else groups.push([change])
  }
  return groups
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  const told = (lines: readonly string[]) => lines.map((line) => line.trimEnd()).filter(Boolean)
  return told(one).join('\n') === told(other).join('\n')
}

function oneLine(text: string): string {
  return text.trimEnd().slice(0, limits.gate.lineChars)
}
