import { stripVTControlCharacters } from 'node:util'
import { limits } from '../../domain/limits.ts'
import type { TestReport, TestResult, UnnamedRun } from '../../domain/verification/test-results.ts'
import { sumOfTests } from '../../domain/verification/tests-seen.ts'
import { countsOf, type FoundTest, type FoundTests, runnerOf } from './found-tests.ts'

const { tests: mostTests, idChars, failureChars, failuresChars, failureLines } = limits.testReport

/** Combines all results into one report with ids; `cut` if only a part of the output was read. */
export function makeReport(
  found: readonly [FoundTests, ...FoundTests[]],
  { cut: begun }: { readonly cut: boolean },
): TestReport {
  const main = found.reduce((most, one) => (one.tests.length > most.tests.length ? one : most))
  const isAll = found.every((one) => one.complete)
  const hasFile = found.some((one) => one.format === 'junit')
  const { results, cut } = nameTests(
    found.flatMap((one) => {
      const marks: Marks = {
        ...(!isAll && one.complete && { whole: true }),
        ...(runnerOf(one) !== runnerOf(main) && { runner: runnerOf(one) }),
        ...(hasFile && one.format !== 'junit' && { printed: true }),
      }
      return one.tests.map((test) => ({ ...test, marks }))
    }),
  )
  const truncated = cut || begun
  const complete = !truncated && isAll
  // Totals are only known if every result has them.
  const isCounted = found.some((one) => one.counts) && found.every((one) => one.counts ?? one.complete)
  const counts = isCounted ? sumOfTests(found.map((one) => one.counts ?? countsOf(one.tests))) : null
  const { format } = main
  const runner = runnerOf(main)
  const unnamed = unnamedRuns(found.filter((one) => !one.complete))
  return {
    format,
    runner,
    tests: results,
    complete,
    truncated,
    ...(counts && { counts }),
    ...(unnamed.length > 0 && { unnamed }),
    ...(found.some((one) => one.replayed) && { replayed: true }),
  }
}

/** Lists one entry per runner, up to the limit of programs. */
function unnamedRuns(runs: readonly FoundTests[]): readonly UnnamedRun[] {
  return [...Map.groupBy(runs, runnerOf)].map(([runner, own]) => {
    const { counts, ran } = { counts: own.flatMap((run) => run.counts ?? []), ran: own.map(ranIn) }
    if (counts.length < own.length) return { runner, tests: null }
    const { passed, failed, skipped } = sumOfTests(counts) ?? { passed: 0, failed: 0, skipped: 0 }
    return { runner, tests: passed + failed + skipped, ran: ran.reduce((sum, count) => sum + count, 0) }
  })
}

/** Some runners count a file that failed to load as a test. */
function ranIn({ counts, tests }: FoundTests): number {
  const { passed, failed } = counts ?? { passed: 0, failed: 0 }
  return Math.max(0, passed + failed - tests.filter(({ notLoaded }) => notLoaded).length)
}

type Marks = Pick<TestResult, 'whole' | 'runner' | 'printed'>
type MarkedTest = FoundTest & { readonly marks: Marks }

function nameTests(tests: readonly MarkedTest[]): { readonly results: readonly TestResult[]; readonly cut: boolean } {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  let cut = tests.length > mostTests
  let left = failuresChars
  const results = tests.slice(0, mostTests).map(({ path, outcome, failure, notLoaded, marks }): TestResult => {
    const whole = idOf(path)
    const name = cutTo(whole, idChars)
    cut ||= name !== whole
    let count = counts.get(name) ?? 1
    let id = count === 1 ? name : numbered(name, count)
    // Another test's own name may look like a numbered duplicate.
    while (taken.has(id)) id = numbered(name, ++count)
    taken.add(id)
    counts.set(name, count + 1)
    const said = outcome === 'failed' && failure !== undefined && left > 0 ? cleanFailure(failure) : ''
    left -= said.length
    return {
      id,
      outcome,
      ...(said !== '' && { failure: said }),
      ...(notLoaded && { notLoaded }),
      ...marks,
    }
  })
  return { results, cut }
}

/** A test's id before duplicates are numbered. */
export function idOf(path: readonly string[]): string {
  let id = ''
  for (const part of path) {
    const clean = cleanPart(part)
    if (clean !== '') id = id === '' ? clean : `${id} > ${clean}`
    // The rest would be cut anyway.
    if (id.length > idChars) break
  }
  return id || '(no name)'
}

/**
 * The path at which every sandbox mounts the repository, matched at the start of a path only, so
 * that `src/repo/a` stays.
 */
const repository = /(^|[\s'"([=,])(?:file:\/\/)?\/repo\//g

/** Bidirectional controls and invisible line ends would make an id look like another one. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu

/** ASCII words, as most names are, need no cleaning. */
const plain = /^[!-~]+(?: [!-~]+)*$/

function cleanPart(part: string): string {
  // Twice the limit is enough to see that the name is too long; cleaning all of a huge name would
  // waste time.
  const head = part.slice(0, 2 * idChars + 2)
  if (plain.test(head) && !head.includes('/repo/')) return head
  return head.toWellFormed().replace(unseen, ' ').replace(repository, '$1').split(/\s+/).filter(Boolean).join(' ')
}

function cleanFailure(failure: string): string {
  const lines = stripVTControlCharacters(failure.slice(0, 4 * failureChars)).split('\n')
  const said = lines.map((line) => cleanPart(line)).filter((line) => line !== '')
  return cutTo(said.slice(0, failureLines).join('\n'), failureChars)
}

const numbered = (name: string, count: number): string => {
  const suffix = ` #${count}`
  return cutTo(name, idChars - suffix.length) + suffix
}

/** Half of a surrogate pair is not a character. */
const cutTo = (text: string, chars: number): string =>
  text.length <= chars ? text : text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
