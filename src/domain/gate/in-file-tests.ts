import { bracketEnds, type Part } from './brackets.ts'
import { type CodeSyntax, syntaxOf } from './code-syntax.ts'
import { maskCode } from './mask-code.ts'

/** A test inside a source file; `header` identifies it across versions. */
interface TestPart extends Part {
  readonly header: string
}

/** True if a file of this name can contain sources and tests at the same time. */
export function mayHoldTests(path: string): boolean {
  return /\.(?:rs|zig|py|[cm]?[jt]sx?)$/i.test(path)
}

/**
 * The parts of a source file that are tests, in whole lines: items under `#[cfg(test)]` and
 * `#[test]` in Rust, `if (import.meta.vitest)` and calls of a runner's `test` at the top of
 * scripts, `TestCase` classes and test functions at the top of Python modules, `test` blocks in
 * Zig.
 */
export function testParts(path: string, text: string): readonly TestPart[] {
  const syntax = syntaxOf(path, text)
  const find = /\.zig$/i.test(path) ? zigTests : finders[syntax.language]
  if (find === undefined) return []
  const code = maskCode(text, syntax)
  const parts: TestPart[] = []
  for (const found of find(code, bracketEnds(code), text)) {
    const part = inLines(text, found)
    // A nested part goes with the outer one.
    if (part.start >= (parts.at(-1)?.end ?? 0)) parts.push({ ...part, header: headerOf({ text, code }, found) })
  }
  return parts
}

/** Replaces the text's own tests by those of another version; removes them if that is null. */
export function withTestsOf(path: string, text: string, other: string | null): string {
  const wanted = (other === null ? [] : testParts(path, other)).map(({ header, start, end }) => ({
    header,
    body: other?.slice(start, end) ?? '',
  }))
  let [kept, from] = ['', 0]
  for (const { header, start, end } of testParts(path, text)) {
    const at = wanted.findIndex((each) => each.header === header)
    const [same] = at < 0 ? [] : wanted.splice(at, 1)
    kept += text.slice(from, start) + (same?.body ?? '')
    from = end
  }
  kept += text.slice(from)
  for (const { body } of wanted) kept += `${kept === '' || kept.endsWith('\n') ? '' : '\n'}${body}`
  return kept
}

type Find = (code: string, ends: Int32Array, text: string) => readonly Part[]

const finders: Partial<Readonly<Record<CodeSyntax['language'], Find>>> = {
  rust: rustTests,
  script: scriptTests,
  python: pythonTests,
}

const runner = /(?:\bfrom|\brequire\s*\()\s*["'](?:(?:node:|bun:)?test|vitest|@jest\/globals|mocha|uvu|tape|ava)["']/

function scriptTests(code: string, ends: Int32Array, text: string): readonly Part[] {
  const inVitest = blocks(code, ends, /\bif\s*\(\s*import\.meta\.vitest\s*\)\s*(?=\{)/g)
  if (!runner.test(text)) return inVitest
  const calls = [...code.matchAll(/^(?:await[ \t]+)?(?:test|it|describe|suite)(?:\.\w+)*[ \t]*(?=\()/gm)]
  const found = calls.flatMap(({ index, 0: { length } }) => {
    const end = ends[index + length] ?? 0
    return end === 0 ? [] : [{ start: index, end: code[end + 1] === ';' ? end + 2 : end + 1 }]
  })
  return [...inVitest, ...found].toSorted((a, b) => a.start - b.start)
}

/** A function of the product may be called `test_…`, but asserts nothing. */
function pythonTests(code: string): readonly Part[] {
  const found: Part[] = []
  for (const { index: start, 0: head } of code.matchAll(
    /^(?:@[^\n]*\n)*(?:class[ \t]+\w+[ \t]*\([^)\n]*TestCase\b[^)\n]*\)|(?:async[ \t]+)?def[ \t]+test\w*[ \t]*\([^)]*\))[^:\n]*:/gm,
  )) {
    const next = /\n(?=[^\s"')\]}])/g
    next.lastIndex = start + head.length
    const end = next.exec(code)?.index ?? code.length
    const body = code.slice(start + head.length, end)
    if (!/^class|\nclass/.test(head) && !/\bassert\b|\braises\b/.test(body)) continue
    found.push({ start, end: start + head.length + body.trimEnd().length })
  }
  return found
}

function zigTests(code: string, ends: Int32Array): readonly Part[] {
  return blocks(code, ends, /^[ \t]*test\b[^\n{;]*(?=\{)/gm)
}

/** The announced blocks, up to the end of the braces. */
function blocks(code: string, ends: Int32Array, announced: RegExp): readonly Part[] {
  return [...code.matchAll(announced)].flatMap(({ index, 0: { length } }) => {
    const end = ends[index + length] ?? 0
    return end === 0 ? [] : [{ start: index, end: end + 1 }]
  })
}

/** `any(test, …)` and `not(test)` also apply outside of a test build. */
const testOnly = /^#\[\s*(?:cfg\s*\(\s*(?:all\s*\(\s*)?test\s*[,)]|(?:[\w:]+::)?(?:test|rstest|test_case)\b(?!\s*=))/

function rustTests(code: string, ends: Int32Array): readonly Part[] {
  const found: Part[] = []
  for (let at = code.indexOf('#['); at >= 0; at = code.indexOf('#[', at)) {
    const start = at
    let isTest = false
    while (code.startsWith('#[', at)) {
      const end = (ends[at + 1] ?? 0) + 1
      if (end <= at) return found
      isTest ||= testOnly.test(code.slice(at, end))
      at = end + (/^\s*/.exec(code.slice(end, end + 10_000))?.[0].length ?? 0)
    }
    if (!isTest) continue
    at = itemEnd(code, ends, at)
    found.push({ start, end: at })
  }
  return found
}

/** Such an item may hold braces and extends to its semicolon. */
const endsWithSemicolon =
  /^(?:pub(?:\s*\([^)]*\))?\s+)?(?:use|static|type|extern\s+crate|let|const(?!\s+(?:unsafe\s+)?fn\b))\b/

function itemEnd(code: string, ends: Int32Array, start: number): number {
  const isStatement = endsWithSemicolon.test(code.slice(start, start + 200))
  for (let at = start; at < code.length; at += 1) {
    const character = code.charAt(at)
    if (character === ';') return at + 1
    if (character === '}') return at
    const end = ends[at] ?? 0
    if (end === 0) continue
    if (character === '{' && !isStatement) return end + 1
    at = end
  }
  return code.length
}

/** Extends the part by its comments, and to whole lines where nothing else is in them. */
function inLines(text: string, { start, end }: Part): Part {
  let from = text.lastIndexOf('\n', start - 1) + 1
  if (text.slice(from, start).trim() !== '') return { start, end }
  for (;;) {
    const before = text.lastIndexOf('\n', from - 2) + 1
    if (from === 0 || !/^\s*\/\/\/(?!\/)/.test(text.slice(before, from))) break
    from = before
  }
  const line = text.indexOf('\n', end)
  const until = line < 0 ? text.length : line + 1
  return text.slice(end, until).trim() === '' ? { start: from, end: until } : { start: from, end }
}

function headerOf({ text, code }: { readonly text: string; readonly code: string }, { start, end }: Part): string {
  const whole = code.slice(start, end)
  const length = /^(?:@[^\n]*\n)*(?:async[ \t]+)?(?:def|class)\b[^\n(]*|^[^{;]*/.exec(whole)?.[0].length ?? 0
  // Titles distinguish the tests of a script.
  const title = /^(?:await\s+)?(?:test|it|describe|suite)[.\w]*\s*\(\s*(["'`])(?:[^\\\n]|\\.)*?\1/.exec(
    text.slice(start, end),
  )
  return (title?.[0] ?? code.slice(start, start + length)).replaceAll(/\s+/g, ' ').trim()
}
