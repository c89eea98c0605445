import { XMLParser } from 'fast-xml-parser'
import { limits } from '../../domain/limits.ts'
import type { TestOutcome, TestRunner } from '../../domain/verification/test-results.ts'
import { type FoundTest, type FoundTests, isFileName, withFailure } from './found-tests.ts'

/** An element: its content under its name, and its attributes under ':@'. */
type Element = Readonly<Record<string, unknown>>

const attributes = ':@'
const { depth, junitChars, junitTags, failureChars } = limits.testReport

/**
 * Reads a JUnit file of any runner; null if it is malformed or has a DOCTYPE, which could declare
 * entities.
 */
export function readJunit(text: string): FoundTests | null {
  if (text.length > junitChars || !beginsWithSuite(text) || hasManyTags(text)) return null
  let top: unknown
  try {
    top = parser().parse(text, true)
  } catch {
    return null
  }
  const roots = elementsOf(top).filter((one) => isSuite(nameOf(one)))
  const [root] = roots
  if (root === undefined || roots.length > 1) return null
  const tests: FoundTest[] = []
  const path = nameOf(root) === 'testsuite' ? [attribute(root, 'name')] : []
  addSuite(root, { file: attribute(root, 'file'), path }, tests)
  const runner = runnerOf(root)
  return { format: 'junit', ...(runner && { runner }), tests, complete: true }
}

const isSuite = (name: string): boolean => name === 'testsuites' || name === 'testsuite'

const runners: Readonly<Record<string, TestRunner>> = {
  pytest: 'pytest',
  'pytest tests': 'pytest',
  'vitest tests': 'vitest',
  'jest tests': 'jest',
  'Mocha Tests': 'mocha',
  'nextest-run': 'nextest',
}

/**
 * Decided by the name of the root, or of the first suite, which is the root in older versions of
 * pytest.
 */
function runnerOf(root: Element): TestRunner | null {
  const inside = elementsOf(root[nameOf(root)])
  const named = [root, ...inside].map((one) => runners[attribute(one, 'name')]).find((runner) => runner !== undefined)
  if (named !== undefined) return named
  // node:test has no suite around its test cases for their file.
  const isNode = inside.some((one) => nameOf(one) === 'testcase' && attribute(one, 'classname') === 'test')
  return isNode ? 'node' : null
}

/** The library needs time for each tag, so files with very many are not read. */
function hasManyTags(text: string): boolean {
  let at = -1
  for (let tags = 0; tags <= junitTags; tags++) {
    at = text.indexOf('<', at + 1)
    if (at < 0) return false
  }
  return true
}

/** True if the first element, after a declaration and comments, is one of JUnit's. */
function beginsWithSuite(text: string): boolean {
  let at = text.startsWith('\ufeff') ? 1 : 0
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++
    const end = text.startsWith('<!--', at) ? '-->' : text.startsWith('<?', at) ? '?>' : null
    if (end === null) return text.startsWith('<testsuite', at)
    const closed = text.indexOf(end, at)
    if (closed < 0) return false
    at = closed + end.length
  }
}

/**
 * The elements that are read. All others, such as output and properties, are dropped during
 * parsing.
 */
const read: ReadonlySet<string> = new Set([
  'testsuites',
  'testsuite',
  'testcase',
  'failure',
  'error',
  'skipped',
  'rerunFailure',
  'rerunError',
  'flakyFailure',
  'flakyError',
])

const parser = (): XMLParser =>
  new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseTagValue: false,
    parseAttributeValue: false,
    // XML's five entities and numeric characters are replaced below; no others exist.
    processEntities: false,
    htmlEntities: false,
    maxNestedTags: depth,
    updateTag: (name) => read.has(name),
  })

interface Place {
  readonly file: string
  readonly path: readonly string[]
}

function addSuite(suite: Element, place: Place, tests: FoundTest[]): void {
  for (const one of elementsOf(suite[nameOf(suite)])) {
    const name = nameOf(one)
    if (name === 'testcase') tests.push(readCase(one, place))
    else if (isSuite(name)) {
      const file = attribute(one, 'file') || place.file
      addSuite(one, { file, path: [...place.path, attribute(one, 'name')] }, tests)
    }
  }
}

/** A class that repeats the file or the suites is left out. */
function readCase(one: Element, { file, path }: Place): FoundTest {
  const className = attribute(one, 'classname')
  const repeated = [path.join('.'), path.join(' '), path.at(-1)].includes(className)
  const parts = [attribute(one, 'file') || file, ...path, repeated ? '' : className, attribute(one, 'name')].filter(
    Boolean,
  )
  const outcome = outcomeOf(one)
  const test: FoundTest = { path: parts.filter((part, at) => part !== parts[at - 1]), outcome }
  if (outcome !== 'failed') return test
  const failure = failureOf(one)
  const name = attribute(one, 'name')
  // pytest reports a collection failure; node:test and vitest list the file as its only test.
  const isFile = isFileName(name) && (path.length === 0 ? className === 'test' : path.at(-1) === name)
  const notLoaded =
    isFile || (className === '' && failure !== undefined && attribute(failure, 'message') === notCollected)
  return { ...test, ...(failure && withFailure(wordsOf(failure))), ...(notLoaded && { notLoaded }) }
}

/** A test marked as todo may fail, and one that was repeated may have failed before. */
function outcomeOf(one: Element): TestOutcome {
  const inside = elementsOf(one[nameOf(one)]).map(nameOf)
  const status = `${attribute(one, 'status')} ${attribute(one, 'result')}`.toLowerCase().split(' ')
  if (inside.includes('skipped') || status.some((word) => skipped.has(word))) return 'skipped'
  if (inside.includes('failure') || inside.includes('error') || status.some((word) => failed.has(word))) return 'failed'
  return 'passed'
}

const failureOf = (one: Element): Element | undefined =>
  elementsOf(one[nameOf(one)]).find((each) => ['failure', 'error'].includes(nameOf(each)))

/** pytest's message for a file that it could not import. */
const notCollected = 'collection failure'

/** The message, or the text if the message is empty. */
function wordsOf(failure: Element): string {
  const [text] = elementsOf(failure[nameOf(failure)]).map((each) => each['#text'])
  const message = attribute(failure, 'message')
  const isSaid = message !== '' && message !== notCollected
  const said = isSaid || typeof text !== 'string' ? message : decoded(text.slice(0, 8 * failureChars))
  return said.slice(0, 4 * failureChars)
}

const skipped: ReadonlySet<string> = new Set(['skipped', 'disabled', 'notrun', 'pending', 'suppressed', 'ignored'])
const failed: ReadonlySet<string> = new Set(['failed', 'failure', 'error'])

const elementsOf = (value: unknown): readonly Element[] => (Array.isArray(value) ? value : [])

const nameOf = (element: Element): string => Object.keys(element).find((key) => key !== attributes) ?? ''

function attribute(element: Element, name: string): string {
  const all = element[attributes]
  const value = typeof all === 'object' && all !== null && Object.hasOwn(all, name) ? Reflect.get(all, name) : ''
  return typeof value === 'string' ? decoded(value) : ''
}

const decoded = (text: string): string => text.replace(entity, replaceEntity).trim()

const entity = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi

const standard: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function replaceEntity(whole: string, name?: string, decimal?: string, hexadecimal?: string): string {
  if (name !== undefined) return standard[name] ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}
