import { syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'
import { functionNames } from '../../domain/gate/reach/function-names.ts'
import { isSameTokens, renamesIn, tokensOf } from '../../domain/gate/reach/same-code.ts'
import { changesOf, type Lines, linesOf, type TwoTexts } from '../assurance/hunks.ts'
import { plainCode } from './plain-code.ts'

/** A program of the change with its added lines, except for changes of formatting. */
export interface ChangedCode {
  readonly path: string
  /** The new text of the file, without its types. */
  readonly text: string
  readonly lines: Lines
  /** Numbers, from 0, of its added lines of code, by the number of their hunk. */
  readonly added: ReadonlyMap<number, number>
  /** The added lines that existed elsewhere before. */
  readonly moved: ReadonlySet<number>
  /** Names of functions in the old programs that are not more frequent in the new ones. */
  readonly known: ReadonlySet<string>
}

interface Version {
  readonly path: string
  readonly text: string
  readonly lines: Lines
  /** Numbers, from 0, of lines that begin inside of brackets. */
  readonly inside: ReadonlySet<number>
}

interface OneHunk {
  readonly at: number
  readonly added: number
  readonly removed: readonly number[]
  readonly before: readonly string[]
  readonly after: readonly string[]
}

interface CodeComparison {
  readonly old: Version | null
  readonly now: Version | null
  readonly hunks: readonly OneHunk[]
}

/**
 * The changed code of all programs together. Lines that only moved, or differ in formatting,
 * comments, types or names, are left out or marked as moved.
 */
export function changedCode(programs: readonly TwoTexts[]): readonly ChangedCode[] {
  const compared = programs.map(compare)
  const hunks = compared.flatMap((each) => each.hunks)
  const all = {
    before: compared.flatMap(({ old }) => (old === null ? [] : tokensIn(old))),
    after: compared.flatMap(({ now }) => (now === null ? [] : tokensIn(now))),
  }
  const renames = renamesIn(hunks, all)
  const isSame = (hunk: OneHunk) => isSameTokens(hunk, renames)
  const known = knownNames(compared)
  const gone = new Map<string, number>()
  for (const { old, hunks } of compared)
    for (const { removed } of hunks.filter((hunk) => !isSame(hunk)))
      for (const line of removed) count(gone, old === null ? '' : keyOf(old, line), 1)
  return compared.flatMap(({ now, old, hunks }) => {
    if (now === null || (old !== null && isSameTokens({ before: tokensIn(old), after: tokensIn(now) }, renames)))
      return []
    const added = new Map<number, number>()
    const moved = new Set<number>()
    for (const [number, hunk] of hunks.entries())
      for (let line = hunk.at; line < hunk.at + hunk.added; line += 1) {
        if (!isWord.test(now.lines.code[line] ?? '')) continue
        added.set(line, number)
        const key = keyOf(now, line, renames)
        if (isSame(hunk) || (gone.get(key) ?? 0) > 0) moved.add(line)
        if (!isSame(hunk)) count(gone, key, -1)
      }
    return [{ path: now.path, text: now.text, lines: now.lines, added, moved, known }]
  })
}

function knownNames(compared: readonly CodeComparison[]): ReadonlySet<string> {
  const [before, after] = [new Map<string, number>(), new Map<string, number>()]
  for (const { old, now } of compared) {
    if (old !== null) for (const [name, number] of functionNames(old.path, old.text)) count(before, name, number)
    if (now !== null) for (const [name, number] of functionNames(now.path, now.text)) count(after, name, number)
  }
  return new Set([...before].flatMap(([name, number]) => ((after.get(name) ?? 0) <= number ? [name] : [])))
}

export const isWord = /[\p{L}\p{N}_]/u

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

function compare({ path, before, after, diff }: TwoTexts): CodeComparison {
  const [old, now] = [before, after].map((text) => (text === null ? null : versionOf(path, text)))
  const whole = ({ lines }: Version) => lines.lines.flatMap((_, i) => (lines.tests.has(i) ? [] : [i]))
  const parts = () => {
    if (old && now) return changesOf(diff, { old: old.lines, now: now.lines })
    if (old) return [{ at: 0, added: 0, removed: whole(old) }]
    // In-file tests do not belong to the program.
    return now ? runsOf(whole(now)).map((run) => ({ at: run[0] ?? 0, added: run.length, removed: [] })) : []
  }
  const hunks = parts().map(({ at, added, removed }): OneHunk => {
    const range = Array.from({ length: added }, (_, i) => at + i)
    return { at, added, removed, before: old ? tokensIn(old, removed) : [], after: now ? tokensIn(now, range) : [] }
  })
  return { old: old ?? null, now: now ?? null, hunks }
}

function runsOf(numbers: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = []
  for (const each of numbers) {
    const last = runs.at(-1)
    if (last?.at(-1) === each - 1) last.push(each)
    else runs.push([each])
  }
  return runs
}

function versionOf(path: string, whole: string): Version {
  const text = plainCode(path, whole)
  const lines = linesOf(path, text)
  return { path, text, lines, inside: insideLines(path, text) }
}

function insideLines(path: string, text: string): ReadonlySet<number> {
  const inside = new Set<number>()
  let depth = 0
  for (const [i, line] of maskCode(text, syntaxOf(path, text)).split('\n').entries()) {
    if (depth > 0) inside.add(i)
    for (const character of line)
      if ('([{'.includes(character)) depth += 1
      else if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
  }
  return inside
}

/** The tokens of some lines, or of all; in Python with the indentation of each statement. */
function tokensIn(version: Version, some?: readonly number[]): readonly string[] {
  const { path, lines } = version
  const { language } = syntaxOf(path, version.text)
  const numbers = some ?? [...lines.code.keys()]
  return tokensOf(
    numbers.map((line) => statementAt(version, line)),
    { language },
  )
}

/** A line of code; in Python, with a sign for each column of its indentation. */
function statementAt({ path, text, lines, inside }: Version, line: number): string {
  const code = lines.code[line] ?? ''
  const { language } = syntaxOf(path, text)
  if (language !== 'python' || inside.has(line) || code.trim() === '') return code
  return `${'\u0001'.repeat(/^[ \t]*/.exec(code)?.[0].replaceAll('\t', '        ').length ?? 0)}${code}`
}

function keyOf(version: Version, line: number, renames?: ReadonlyMap<string, string>): string {
  const { language } = syntaxOf(version.path, version.text)
  return tokensOf([statementAt(version, line)], { language })
    .map((token) => renames?.get(token) ?? token)
    .join(' ')
}
