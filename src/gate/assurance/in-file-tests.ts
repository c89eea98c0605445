import { bracketEnds, type Part } from '../../domain/gate/brackets.ts'
import { type CodeSyntax, syntaxOf } from '../../domain/gate/code-syntax.ts'
import { maskCode } from '../../domain/gate/mask-code.ts'

/** A test inside a file of sources; `header` is the same for the same one in another version. */
interface TestPart extends Part {
  readonly header: string
}

/** Whether files of this name can contain sources and tests at the same time. */
export function mayHoldTests(path: string): boolean {
  return /\.(?:rs|zig|[cm]?[jt]sx?)$/i.test(path)
}

/**
 * The parts of a source file that are tests, in whole lines: items under `#[cfg(test)]` and
 * `#[test]` in Rust, `if (import.meta.vitest)` in scripts, `test` blocks in Zig.
 */
export function testParts(path: string, text: string): readonly TestPart[] {
  const syntax = syntaxOf(path, text)
  const find = /\.zig$/i.test(path) ? zigTests : finders[syntax.language]
  if (find === undefined) return []
  const code = maskCode(text, syntax)
  const parts: TestPart[] = []
  for (const found of find(code, bracketEnds(code))) {
    const part = inLines(text, found)
    // One inside another goes with it.
    if (part.start >= (parts.at(-1)?.end ?? 0)) parts.push({ ...part, header: headerOf(code, found) })
  }
  return parts
}

/** The text with another version's tests in place of its own; without any where that is null. */
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

type Find = (code: string, ends: Int32Array) => readonly Part[]

const finders: Partial<Readonly<Record<CodeSyntax['language'], Find>>> = {
  rust: rustTests,
  script: (code, ends) => blocks(code, ends, /\bif\s*\(\s*import\.meta\.vitest\s*\)\s*(?=\{)/g),
}

function zigTests(code: string, ends: Int32Array): readonly Part[] {
  return blocks(code, ends, /^[ \t]*test\b[^\n{;]*(?=\{)/gm)
}

/** What the pattern announces, up to the end of the braces behind it. */
function blocks(code: string, ends: Int32Array, announced: RegExp): readonly Part[] {
  return [...code.matchAll(announced)].flatMap(({ index, 0: { length } }) => {
    const end = ends[index + length] ?? 0
    return end === 0 ? [] : [{ start: index, end: end + 1 }]
  })
}

/** `any(test, …)` and `not(test)` are there without a test, too. */
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

/** Such an item may hold braces and goes on to its semicolon. */
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

/** With the comments that belong to it, and all of its lines where nothing else is in them. */
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

function headerOf(code: string, { start, end }: Part): string {
  const whole = code.slice(start, end)
  return (/^[^{;]*/.exec(whole)?.[0] ?? '').replaceAll(/\s+/g, ' ').trim()
}
