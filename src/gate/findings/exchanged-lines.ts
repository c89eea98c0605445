import { countAssertions } from '../../domain/gate/assertions.ts'
import { changedLines } from '../../domain/gate/changed-lines.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import type { FileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { limits } from '../../domain/limits.ts'
import { type Compared, type ComparingDeps, contentsOf, diffOf } from './compared-files.ts'

interface Looking extends Compared {
  readonly kindOf: (path: string) => FileKind
  /** Paths of test files whose expectations are checked by copies of tests. */
  readonly read: ReadonlySet<string>
}

/**
 * Finds lines of expectations that are gone while no source changes: in fixtures, and in test files
 * of languages without copies of tests.
 */
export async function exchangedLines(
  deps: ComparingDeps,
  { kindOf, read, ...compared }: Looking,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const asked = compared.files.filter(
    ({ path, status }) => status === 'modified' && !read.has(path) && kindOf(path) !== 'other',
  )
  const diffs: { readonly file: (typeof asked)[number]; readonly lines: readonly string[] }[] = []
  for (const file of asked.slice(0, limits.gate.files)) {
    signal.throwIfAborted()
    diffs.push({ file, lines: changedLines(await diffOf(deps, { ...compared, file })) })
  }
  const added = diffs.flatMap(({ lines }) => lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1)))
  const found: Suspicion[] = []
  for (const { file, lines } of diffs) {
    const gone = lines.filter(
      (line) => line.startsWith('-') && isExpectation(line.slice(1), file.path) && !isCarried(line.slice(1), added),
    )
    if (gone.length === 0) continue
    const own = lines.filter((line) => line.startsWith('+') && line.slice(1).trim() !== '')
    found.push({
      ...{ kind: 'expectation_changed', file: file.path, evidence: listed([...gone, ...own]) },
      claim: `${file.path} exchanges ${gone.length === 1 ? 'an expectation' : `${gone.length} expectations`}, and the change touches nothing that the tests are about.`,
      identity: [file.path, ...(await contentsOf(deps, { ...compared, files: [file] }))],
    })
  }
  return found
}

/** Whether a line is a table row, a condition, an assertion or any data, but not a message. */
function isExpectation(line: string, path: string): boolean {
  const said = line.trim()
  if (!isCode(path)) return said !== '' && !/^[[\]{}(),]*$/.test(said)
  if (/^(?:\/\/|\/?\*|#\s)/.test(said) || /\.(?:Log|Error|Fatal|Skip)f?\(/.test(said)) return false
  return (
    countAssertions(line, path) > 0 || equality.test(said) || inequality.test(said) || /^[{[(].*[\])}],?$/.test(said)
  )
}

const equality = /[=!]=|_eq!?\(|_ne!?\(|(?:^|[^a-z])(?:not)?equals?\b|_EQ\b|_NE\b/i
const inequality = /(?<![-=<>])[<>]=?(?![<>])/

/** Whether the new lines compare all expected values of a line as strictly as before. */
function isCarried(line: string, added: readonly string[]): boolean {
  const words = bare(line)
  if (added.some((each) => bare(each) === words)) return true
  const values = valuesOf(line)
  if (values.length === 0) return false
  return added.some((each) => {
    const there = valuesOf(each)
    const hasAll = values.every((value) => {
      const at = there.indexOf(value)
      if (at >= 0) there.splice(at, 1)
      return at >= 0
    })
    return hasAll && (equality.test(each) || (!equality.test(line) && inequality.test(line)) || !inequality.test(each))
  })
}

/** A line without its layout and its failure message. */
const bare = (line: string) => line.replace(/,\s*"[^"]*"(?=\s*[,)]).*$/, ')').replace(/[\s,;]+/g, '')

const valuesOf = (line: string): string[] => [
  ...(line
    .replace(/,\s*"[^"]*"(?=\s*[,)]).*$/, ')')
    .match(/"(?:[^"\\]|\\.)*"|(?<![\w.])\d[\w.]*|\b(?:true|false|nil|NULL)\b/g) ?? []),
]
