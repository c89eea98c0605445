import { assertionPlaces } from '../assertions.ts'
import { bracketEnds, type Part } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import { isC } from '../modules/c-modules.ts'
import { readStatements, testBlocks } from './statements.ts'

export interface TestFile {
  readonly path: string
  readonly text: string
}

type NamedPart = Part & { readonly name: string }

/** A test file as text, with its tests and the other names that it declares. */
interface TestText {
  readonly text: string
  readonly tests: readonly NamedPart[]
  readonly declared: readonly NamedPart[]
}

/** The names of a file's tests that are written as literals. */
export function namesOfTests(path: string, text: string): readonly string[] {
  if (!isC(path)) return textOf(path, text).tests.map(({ name }) => name)
  // Programs that print TAP often name each assertion by its words.
  const ends = bracketEnds(maskCode(text, syntaxOf(path, text)))
  return assertionPlaces(text, path).flatMap((at) => {
    const open = text.indexOf('(', at)
    return open < 0 || !ends[open] ? [] : [text.slice(open + 1, ends[open])]
  })
}

/**
 * The names of the tests that a file has lost, if it has lost only whole tests and the code that
 * only they needed; empty if anything else changed.
 */
export function testsLostAlone(path: string, before: string, after: string): readonly string[] {
  const [was, is] = [textOf(path, before), textOf(path, after)]
  const [known, left] = [new Set(was.tests.map(wordsIn(was))), new Set(is.tests.map(wordsIn(is)))]
  const isGone = (test: Part) => !left.has(wordsIn(was)(test))
  if ([...left].some((each) => !known.has(each))) return []
  const unused = was.declared.filter(({ name }) => !new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`).test(is.text))
  if (residue(was, [...was.tests, ...unused]) !== residue(is, is.tests)) return []
  return was.tests.filter(isGone).map(({ name }) => name)
}

/** The names of tests whose bodies the new files still have word by word, under any name. */
export function testsKeptWhole(before: readonly TestFile[], after: readonly TestFile[]): ReadonlySet<string> {
  const there = new Set(after.flatMap(testsByWords).map(({ words }) => words))
  return new Set(before.flatMap(testsByWords).flatMap(({ name, words }) => (there.has(words) ? [name] : [])))
}

/** The tests of a file with a text that does not depend on their place. */
export function testsByWords({ path, text }: TestFile): readonly (NamedPart & { readonly words: string })[] {
  return textOf(path, text).tests.map((test) => {
    const said = text.slice(test.start, test.end)
    const body = said.slice(said.indexOf(test.name)).replace(/^(\w+)\(self(?:,\s*)?/, '$1(')
    return { ...test, words: body.split(/\s+/).join(' ') }
  })
}

const escaped = (name: string) => name.replaceAll('$', '\\$')

const wordsIn =
  ({ text }: TestText) =>
  ({ start, end }: Part) =>
    text.slice(start, end)

function textOf(path: string, text: string): TestText {
  const read = readStatements(path, text)
  if (read === null) return { text, tests: functionsOfTests(path, text), declared: [] }
  const declared = read.statements.flatMap(({ start, end, declares }) =>
    declares === null ? [] : [{ start, end, name: declares }],
  )
  return { text, tests: testBlocks(read), declared }
}

/** The heads of test functions, up to the brace. */
const heads = [
  [/\.go$/, /^func (?<name>Test\w+)\([^)\n]*\)[ \t]*\{/gm],
  [
    /\.rs$/,
    /(?:#\[[^\n]*\]\s*)*#\[(?:\w+::)*(?:test|rstest|test_case)\b[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(?<name>\w+)[^{;]*\{/g,
  ],
] as const

function functionsOfTests(path: string, text: string): readonly NamedPart[] {
  const head = heads.find(([name]) => name.test(path))?.[1]
  if (head === undefined) return []
  const code = maskCode(text, syntaxOf(path, text))
  const ends = bracketEnds(code)
  return [...code.matchAll(head)].flatMap(({ index, 0: said, groups = {} }) => {
    const end = ends[index + said.length - 1] ?? 0
    return end === 0 ? [] : [{ name: groups.name ?? '', start: index, end: end + 1 }]
  })
}

/** Remains that are not tests: imports, and empty groups. */
const noTest = [
  /^\s*(?:import\b[^;]*?\bfrom\s*['"][^'"\n]*['"]|import\s+['"][^'"\n]*['"]|from\s+[\w.]+\s+import\s+(?:\([^)]*\)|[^\n]*)|import\s+[\w., ]+|import\s*\([^)]*\)|import\s+"[^"\n]*"|use\s[^;{}]*(?:\{[^;]*\})?;)\s*;?/gm,
  /(?:#\[cfg\(test\)\]\s*)?\bmod\s+\w+\s*\{\s*\}|\b(?:describe|suite|context)\s*\(\s*(['"`])[^'"`\n]*\1\s*,\s*(?:function\s*\(\)|\(\)\s*=>)\s*\{[\s;]*\}\s*\)/g,
]

function residue({ text }: TestText, parts: readonly Part[]): string {
  const rest = parts
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => (end <= left.length ? left.slice(0, start) + left.slice(end) : left), text)
  return noTest.reduce((left, each) => left.replace(each, ''), rest).replace(/[\s;]+/g, ' ')
}
