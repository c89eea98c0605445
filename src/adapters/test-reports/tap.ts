import { Parser, type Result } from 'tap-parser'
import { limits } from '../../domain/limits.ts'
import { type FoundTest, firstLines, isFileName, keep, type ReadLines, withFailure } from './found-tests.ts'

const version = /^TAP version 1[34]$/
/** Some programs leave out the version line. */
const plan = /^1\.\.\d{1,9}$/
const numbered = /^(?:not )?ok \d+(?: |$)/
const told = /^ *(?:(?:not )?ok(?: |$)|\d{1,9}\.\.\d{1,9}(?: |$)|# Subtest(?:: |$)|Bail out!|\}$)/

/** The library examines a line once per level of subtests, and a test takes three lines. */
const mostWork = 6 * limits.testReport.tests
const workOf = (line: string): number => 1 + (line.length - line.trimStart().length) / 4

/**
 * Reads TAP 13 and 14 with subtests, including node:test's. The YAML of a test point is ignored,
 * since no part of it belongs to an id.
 */
export const readTap: ReadLines = (lines) => {
  const versioned = has(lines, version)
  if (!versioned && !(has(lines, plan) && has(lines, numbered))) return null
  const tests: FoundTest[] = []
  let complete = true
  for (const document of documents(lines, versioned ? null : [])) {
    const read = readDocument(document.points)
    for (const one of read.tests) keep(tests, one)
    complete &&= read.complete && !document.cut
  }
  return { format: 'tap', tests, complete }
}

const has = (lines: readonly string[], what: RegExp): boolean => lines.some((line) => what.test(line))

interface Document {
  readonly points: readonly string[]
  readonly cut: boolean
}

/**
 * Several programs may have written one after the other. A version line starts a new document, and
 * so does any line after all planned tests.
 */
function* documents(lines: readonly string[], first: string[] | null): Generator<Document> {
  let points = first
  let counted: TapCount = { planned: null, seen: 0 }
  let left = mostWork
  let yaml = -1
  let explained = Math.ceil(limits.testReport.failuresChars / limits.testReport.failureChars)
  for (const [at, line] of lines.entries()) {
    if (version.test(line)) {
      if (points?.length) yield { points, cut: left < 0 }
      // A new document costs as much as ten lines.
      left -= 10
      points = []
      counted = { planned: null, seen: 0 }
      yaml = -1
      continue
    }
    const indent = line.length - line.trimStart().length
    // A diff in the YAML may look like a test point.
    if (yaml >= 0 && (indent >= yaml || line.trim() === '')) {
      if (indent === yaml && line.trimEnd() === `${' '.repeat(yaml)}...`) yaml = -1
      continue
    }
    yaml = line.trim() === '---' ? indent : -1
    const wasFailure = yaml >= 0 && left >= 0 && points && lines[at - 1]?.trimStart().startsWith('not ok')
    const said = wasFailure && explained-- > 0 ? messageBelow(lines, at) : undefined
    // The only line of the YAML that the library needs; the others may be long.
    if (said !== undefined) {
      const pad = ' '.repeat(indent)
      points?.push(`${pad}---`, `${pad}message: ${JSON.stringify(said)}`, `${pad}...`)
    }
    if (yaml >= 0 || indent > 4 * limits.testReport.depth || !told.test(line)) continue
    if (points && beginsAnother(line, counted)) {
      yield { points, cut: left < 0 }
      left -= 10
      points = []
      counted = { planned: null, seen: 0 }
    }
    counted = countedWith(line, counted)
    if (points) left -= workOf(line)
    if (points && left >= 0) points.push(line)
  }
  if (points) yield { points, cut: left < 0 }
}

/** The plan and the number of test points at the left edge of a document. */
interface TapCount {
  readonly planned: number | null
  readonly seen: number
}

const point = /^(?:not )?ok(?: |$)/

function beginsAnother(line: string, { planned, seen }: TapCount): boolean {
  if (planned === null) return false
  return /^1\.\.\d/.test(line) || (seen >= planned && (point.test(line) || line.startsWith('# Subtest')))
}

function countedWith(line: string, { planned, seen }: TapCount): TapCount {
  const said = /^1\.\.(\d{1,9})(?: |$)/.exec(line)?.[1]
  return { planned: said === undefined ? planned : Number(said), seen: seen + (point.test(line) ? 1 : 0) }
}

const message = /^ *(?:error|message): *(.*)$/

/** The error message in the YAML of a failed test point, in its line or in those below it. */
function messageBelow(lines: readonly string[], at: number): string | undefined {
  const block = lines.slice(at + 1, at + 40)
  const end = block.findIndex((line) => line.trim() === '...')
  const found = block.slice(0, end < 0 ? block.length : end).findIndex((line) => message.test(line))
  if (found < 0) return undefined
  const [, said = ''] = message.exec(block[found] ?? '') ?? []
  if (!/^[|>][-+]?$/.test(said)) return said.replace(/^(['"])(.*)\1$/, '$2') || undefined
  const indent = indentOf(block[found] ?? '')
  return firstLines(block, { from: found + 1, ends: (line) => line.trim() !== '' && indentOf(line) <= indent })
}

const indentOf = (line: string): number => line.length - line.trimStart().length

function readDocument(lines: readonly string[]): { readonly tests: readonly FoundTest[]; readonly complete: boolean } {
  const parser = new Parser()
  const seen = { tests: [] as FoundTest[], complete: true }
  follow(parser, [], seen)
  for (const line of lines) parser.write(`${line}\n`)
  parser.end()
  return seen
}

/** Returns a function that tells if any test failed, to be called at the end. */
function follow(
  parser: Parser,
  path: readonly string[],
  seen: { readonly tests: FoundTest[]; complete: boolean },
): { readonly failed: () => boolean } {
  const inside = new Map<string, { readonly failed: () => boolean }>()
  let failed = false
  parser.on('child', (child: Parser) => {
    inside.set(child.name, follow(child, [...path, child.name], seen))
  })
  parser.on('assert', (result: Result) => {
    const outcome = result.skip || result.todo ? 'skipped' : result.ok ? 'passed' : 'failed'
    const children = inside.get(result.name)
    inside.delete(result.name)
    failed ||= outcome === 'failed'
    // A parent is only reported if it failed and none of its children did.
    if (children && (outcome !== 'failed' || children.failed())) return
    const said = result.diag?.message
    const failure = outcome === 'failed' && typeof said === 'string' ? withFailure(said) : {}
    // node:test lists a file that failed to load as a test.
    const notLoaded = outcome === 'failed' && path.length === 0 && isFileName(result.name)
    seen.tests.push({ path: [...path, result.name], outcome, ...failure, ...(notLoaded && { notLoaded }) })
  })
  parser.on('complete', ({ bailout, count, plan }) => {
    const { start, end, skipAll } = plan
    if (bailout || !(skipAll || (start !== null && end !== null && count === end - start + 1))) seen.complete = false
  })
  return { failed: () => failed }
}
