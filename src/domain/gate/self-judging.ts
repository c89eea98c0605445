import { syntaxOf } from './code-syntax.ts'
import { maskCode } from './mask-code.ts'
import { type Speech, speeches } from './self-judging-patterns.ts'

/** A place where a source addresses the test runner, or the reader of the process's exit code. */
export interface Spoken {
  readonly what: Speech
  /** From 1 on. */
  readonly firstLine: number
  readonly lastLine: number
}

/**
 * The places where a source addresses the test runner, in the source's language. Comments and
 * strings do not count. This is a heuristic that tells a reviewer where to look.
 */
export function spokenIn(text: string, path: string): readonly Spoken[] {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  const isProgram = programOf(text, path)
  return Object.entries(speeches[syntax.language] ?? {}).flatMap(([what, pattern]) => {
    const found: Spoken[] = []
    let line = 1
    let at = 0
    for (const { index, 0: match } of text.matchAll(pattern)) {
      const start = index + match.search(/\S/)
      if (code[start] !== text[start] || (what === ending && isProgram(start))) continue
      line += lineEndsIn(text.slice(at, start))
      at = start
      found.push({ what: what as Speech, firstLine: line, lastLine: line + lineEndsIn(match.trim()) })
    }
    return found
  })
}

const ending: Speech = 'ends the process as if all were well'

const lineEndsIn = (text: string) => text.split('\n').length - 1

/** Files that a person or a system starts. */
const entry =
  /(?:^|\/)(?:main|cli|server|daemon|worker|manage|__main__|program|Main|Program|App)\.[^/]+$|(?:^|\/)(?:bin|cmd|commands?|scripts?|examples?)\//

/** Where a module is a program by itself: if it is, its end is its own affair. */
const guard =
  /^if[ \t]+__name__[ \t]*==|\brequire\.main\s*===?\s*module\b|\bimport\.meta\.(?:main\b|url\s*===)|\bint\s+main\s*\(|\bstatic\s+void\s+[Mm]ain\s*\(|\bfun\s+main\s*\(/m

/** Whether the place in a text is that of a program which may end itself. */
function programOf(text: string, path: string): (at: number) => boolean {
  if (/\.go$/i.test(path)) return goProgram(text)
  if (entry.test(path) || text.startsWith('#!')) return () => true
  if (!guard.test(text)) return () => false
  // Code at the margin runs on import, unless the guard is on its line.
  return (at) =>
    /^[ \t]/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1))
      ? !inConstructor(text, at)
      : isGuarded(lineOf(text, at))
}

/** `if (import.meta.main) process.exit(…)`, and its like with `&&`. */
const isGuarded = (line: string) => guard.test(line) && /^if\b[^;]*$|&&\s*$/.test(line)

const inConstructor = (text: string, at: number) => text.startsWith('__attribute__', at)

/** In Go's package main all but `init` runs by `main` alone. */
function goProgram(text: string): (at: number) => boolean {
  if (!/^package[ \t]+main\b/m.test(text)) return () => false
  const inits = [...text.matchAll(/^func[ \t]+init\(\)[\s\S]*?^\}/gm)].map(
    ({ index, 0: body }) => [index, index + body.length] as const,
  )
  return (at) => !inits.some(([start, end]) => at >= start && at < end) && !/^(?:var|const)\b/.test(lineOf(text, at))
}

const lineOf = (text: string, at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
