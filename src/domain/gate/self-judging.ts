import { syntaxOf } from './code-syntax.ts'
import { maskCode, maskStrings } from './mask-code.ts'
import { type Speech, speeches } from './self-judging-patterns.ts'
import { ofProcess, readsOf, runnersOwn } from './self-judging-reads.ts'

/** A place where a source addresses the test runner, or the reader of the process's exit code. */
export interface RunnerMention {
  readonly what: Speech
  /** The number of the first line, counted from 1. */
  readonly firstLine: number
  readonly lastLine: number
}

/**
 * The places where a source addresses the test runner, in the source's language. Comments do not
 * count, and strings only for names that a runner sets. `isStarted`: a manifest names it as a
 * program. This is a heuristic that tells a reviewer where to look.
 */
export function spokenIn(
  text: string,
  path: string,
  { isStarted = false }: { readonly isStarted?: boolean } = {},
): readonly RunnerMention[] {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  const commented = maskStrings(text, syntax)
  const endsItself = programOf(text, path)
  const isProgram = isStarted || entry.test(path) || ofCommands.test(path) || text.startsWith('#!') || guard.test(text)
  const isGoMain = syntax.language === 'go' && /^package[ \t]+main\b/m.test(text)
  const inCode = (at: number) => code[at] === text[at]
  const documents = syntax.language === 'python' ? documentation(code) : []
  const inString = (at: number) =>
    !inCode(at) && commented[at] !== text[at] && !documents.some(([start, end]) => at > start && at < end)
  const reads = readsOf(text, syntax.language)
  const joined = joinedStrings(text)
  const all: readonly (readonly [Speech, Iterable<MentionMatch>, (at: number) => boolean])[] = [
    ...Object.entries(speeches[syntax.language] ?? {}).map(([what, pattern]) => {
      const counts = (at: number) => inCode(at) && !(what === ending && endsItself(at))
      return [what as Speech, text.matchAll(pattern), counts] as const
    }),
    [naming, joined.matchAll(runnersOwn), (at) => inCode(at) || inString(at)],
    [reading, text.matchAll(ofProcess), inString],
    [reading, reads === null ? [] : text.matchAll(reads.stack), inCode],
    [reading, (reads?.places ?? []).map((index) => ({ index, 0: text[index] ?? '' })), inCode],
    [reading, reads?.start === undefined || isProgram || isGoMain ? [] : text.matchAll(reads.start), inCode],
  ]
  return all.flatMap(([what, places, counts]) => {
    const found: RunnerMention[] = []
    let line = 1
    let at = 0
    for (const { index, 0: match } of places) {
      const start = index + match.search(/\S/)
      if (!counts(start)) continue
      line += lineEndsIn(text.slice(at, start))
      at = start
      found.push({ what, firstLine: line, lastLine: line + lineEndsIn(match.trim()) })
    }
    return found
  })
}

interface MentionMatch {
  readonly index: number
  readonly 0: string
}

/** Speeches that reading or naming alone reveals, whatever the code does with the value. */
const naming: Speech = 'names what a test runner sets or loads'
const reading: Speech = 'reads its stack, its caller or how it was started'

/**
 * True for a mention that is recognized by its words alone, so that an equal mention on the base
 * commit may stay.
 */
export function isOfWords(what: Speech): boolean {
  return what === naming || what === reading
}

/** Joins concatenated strings without changing the length of the text: `'NODE_' + 'TEST'`. */
function joinedStrings(text: string): string {
  return text.replace(/(\w)(["'])([ \t]*\+[ \t]*)\2(\w+)\2/g, '$1$4$2$3$2$2')
}

/** Docstrings: Python strings that are statements of their own. */
function documentation(code: string): readonly (readonly [start: number, end: number])[] {
  const marks = [...code.matchAll(/"""|'''/g)].map(({ index }) => index)
  return marks.flatMap((start, i): readonly (readonly [number, number])[] => {
    // The inside of a string is masked, so every second mark ends one.
    if (i % 2 === 1) return []
    const before = code.slice(Math.max(0, start - 200), start)
    const isStatement = /(?:^|[:\n])[ \t]*$/.test(before) && !/[(,=[{+]\s*$/.test(before)
    return isStatement ? [[start, marks[i + 1] ?? code.length]] : []
  })
}

const ending: Speech = 'ends the process as if all were well'

const lineEndsIn = (text: string) => text.split('\n').length - 1

/** Files that a person or a system starts. */
const entry =
  /(?:^|\/)(?:main|cli|server|daemon|worker|manage|__main__|program|Main|Program|App)\.[^/]+$|(?:^|\/)(?:bin|cmd|commands?|scripts?|examples?)\//

/** Command line parts of a program, which legitimately look at how they were started. */
const ofCommands = /(?:^|\/)(?:cli|console)\//

/** Guards of a module that may run as a program: in that case it may end itself. */
const guard =
  /^if[ \t]+__name__[ \t]*==|\brequire\.main\s*===?\s*module\b|\bimport\.meta\.(?:main\b|url\s*===)|\bint\s+main\s*\(|\bstatic\s+void\s+[Mm]ain\s*\(|\bfun\s+main\s*\(/m

/** Tells for a place in a text whether it belongs to a program, which may end itself. */
function programOf(text: string, path: string): (at: number) => boolean {
  if (/\.go$/i.test(path)) return goProgram(text)
  if (entry.test(path) || text.startsWith('#!')) return () => true
  if (!guard.test(text)) return () => false
  // Unindented code runs on import, unless the guard is on its line.
  return (at) =>
    /^[ \t]/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1))
      ? !inConstructor(text, at)
      : isGuarded(lineOf(text, at))
}

/** True for `if (import.meta.main) process.exit(…)`, and for the form with `&&`. */
const isGuarded = (line: string) => guard.test(line) && /^if\b[^;]*$|&&\s*$/.test(line)

const inConstructor = (text: string, at: number) => text.startsWith('__attribute__', at)

/** In Go's package main, everything but `init` runs only through `main`. */
function goProgram(text: string): (at: number) => boolean {
  if (!/^package[ \t]+main\b/m.test(text)) return () => false
  const inits = [...text.matchAll(/^func[ \t]+init\(\)[\s\S]*?^\}/gm)].map(
    ({ index, 0: body }) => [index, index + body.length] as const,
  )
  return (at) => !inits.some(([start, end]) => at >= start && at < end) && !/^(?:var|const)\b/.test(lineOf(text, at))
}

const lineOf = (text: string, at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
