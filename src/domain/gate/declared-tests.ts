import { testsOf } from './assertion-patterns.ts'
import { skipsIn } from './assertions.ts'
import { syntaxOf } from './code-syntax.ts'
import { maskCode } from './mask-code.ts'

export interface DeclaredTest {
  /** The test's title, or the line that declares it. */
  readonly name: string
  readonly at: number
}

/**
 * The tests that a file declares, in order, by the keywords of its language. A loop or a table may
 * run more tests than are declared.
 */
export function declaredTests(text: string, path = ''): readonly DeclaredTest[] {
  const syntax = syntaxOf(path, text)
  const code = maskCode(text, syntax)
  return [...code.matchAll(testsOf[syntax.language])].map(({ index: at, 0: words }) => ({
    at,
    name: nameAt(text, at, words),
  }))
}

/**
 * The first text in quotes, else the line; for an attribute, the first line below it that is not an
 * attribute.
 */
function nameAt(text: string, at: number, words: string): string {
  const lines = text
    .slice(at, at + 400)
    .trimStart()
    .split('\n')
  const declared = isAttribute(words) ? lines.find((line) => !isAttribute(line)) : lines[0]
  const line = (declared ?? lines[0] ?? '').trim()
  const quoted = isAttribute(words) ? undefined : /(["'`])(.{1,200}?)\1/.exec(line)?.[2]
  return quoted ?? line.replace(/\s*[{(].*$/, '').slice(0, 200)
}

const isAttribute = (words: string): boolean => /^(?:@(?!test\b)|#\[|\[)/.test(words.trimStart())

/** Code that ends a test, or that makes a condition apply to other tests as well. */
const between =
  /^[ \t]*(?:export[ \t]+)?(?:async[ \t]+)?(?:function|func|fn|def)\b|(?<![\w.])(?:before|after|set_?up|tear_?down)(?:Each|All|Class|Module)?\b/im

/** A skip of more than one test, or of all but one. */
const ofMany = /^=|^\/\/|describe|context\b|suite|module|only|class|cfg\(|collect|__test__|^[fF]/

/**
 * Bounds: a file with more skips counts each of them, and only so many characters of a test are
 * read.
 */
const [mostSkips, mostChars] = [500, 20_000]

/**
 * The number of places where a file switches off a test of `known`, or more than one test. A new
 * test that skips itself under a condition removes nothing.
 */
export function countSkipsOf(known: ReadonlySet<string>, text: string, path = ''): number {
  const skips = skipsIn(text, path)
  if (skips.length > mostSkips) return skips.length
  const tests = declaredTests(text, path)
  return skips.filter(({ at, words }) => {
    if (ofMany.test(words)) return true
    const last = tests.findLast((each) => each.at <= at + words.length)
    const isAbove =
      isAttribute(words) && !(last && isAttribute(text.slice(last.at)) && !/[{;]/.test(text.slice(last.at, at)))
    const owner = isAbove ? tests.find((each) => each.at >= at) : last
    if (owner === undefined || known.has(owner.name)) return true
    const body = text.indexOf('\n', owner.at) + 1
    return !isAbove && body > 0 && body < at && (at - body > mostChars || between.test(text.slice(body, at)))
  }).length
}
