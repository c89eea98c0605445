import { countAssertions } from '../../domain/gate/assertions.ts'
import { changedLines } from '../../domain/gate/changed-lines.ts'
import { type FileKind, isForPeople, isKeptData, isProgram } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { leafOf } from '../../domain/gate/kept/leaf-of.ts'
import { dataUse } from '../../domain/gate/modules/data-use.ts'
import { blocksOf } from '../../domain/gate/reach/blocks-of.ts'
import type { CodeBlock } from '../../domain/gate/reach/code-block.ts'
import { tokensOf } from '../../domain/gate/reach/same-code.ts'
import { limits } from '../../domain/limits.ts'
import { passedIds } from '../../domain/verification/test-results.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { comparingTexts } from '../modules/roles-of-change.ts'
import { usesOfTree } from '../modules/uses-of-tree.ts'
import { isRenamedProgram } from '../reach/same-program.ts'
import {
  type ChangeComparison,
  type ComparingDeps,
  contentsOf,
  diffOf,
  type OneFile,
  textAt,
} from './compared-files.ts'

interface Looking extends ChangeComparison {
  readonly kindOf: (path: string) => FileKind
  /** Paths of test files whose expectations are checked by copies of tests. */
  readonly read: ReadonlySet<string>
  /** Ids of tests whose expectations all hold elsewhere. */
  readonly keptTests: ReadonlySet<string>
}

interface Diff {
  readonly file: ChangedFile
  /** The removed lines, then the added ones, each with its sign. */
  readonly lines: readonly string[]
}

/**
 * Finds removed lines of expectations when no source changes: in fixtures, and in test files of
 * languages without copies of tests. Another finding covers removed tests.
 */
export async function exchangedLines(
  deps: ComparingDeps,
  { kindOf, read, keptTests, ...compared }: Looking,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const asked = compared.files.filter(
    ({ path, status, edited }) =>
      (status === 'modified' || (status === 'renamed' && edited === true)) &&
      !read.has(path) &&
      kindOf(path) !== 'other' &&
      !isForPeople(path),
  )
  const gone = new Set([...goneNames(compared), ...[...keptTests].map(leafOf)])
  const diffs: Diff[] = []
  for (const file of asked.slice(0, limits.gate.files)) {
    signal.throwIfAborted()
    if (maySetUp.test(file.path) && !(await isOfTests(deps, compared, file, signal))) continue
    diffs.push({ file, lines: await linesOf(deps, { ...compared, file, gone }, signal) })
  }
  const added = addedIn(diffs.flatMap(({ lines }) => lines))
  const found: Suspicion[] = []
  for (const { file, lines } of diffs) {
    const lost = lines.filter(
      (line) =>
        line.startsWith('-') && isExpectation(line.slice(1), file.path) && !isCarried(line.slice(1), added, file.path),
    )
    if (lost.length === 0) continue
    const own = lines.filter((line) => line.startsWith('+') && line.slice(1).trim() !== '')
    found.push({
      kind: 'expectation_changed',
      file: file.path,
      evidence: listed([...lost, ...own]),
      claim: `${file.path} exchanges ${lost.length === 1 ? 'an expectation' : `${lost.length} expectations`}, and the change touches nothing that the tests are about.`,
      identity: [file.path, ...(await contentsOf(deps, { ...compared, files: [file] }))],
    })
  }
  return found
}

/** Files in formats of set-up, beside the tests: expectations only if the tests read them. */
const maySetUp = /\.(?:ya?ml|toml|ini|cfg|conf|env|properties)$|(?:^|\/)[A-Z][a-z]+file$/

async function isOfTests(
  deps: ComparingDeps,
  { base, config }: ChangeComparison,
  { path, from = path }: ChangedFile,
  signal: AbortSignal,
): Promise<boolean> {
  if (isKeptData(path) || isKeptData(from) || base.deciding?.inTests?.includes(from) === true) return true
  const uses = await usesOfTree(deps, base.commit, signal)
  if (uses === null) return true
  const commands = config.steps.flatMap(({ command }) => comparingTexts(uses, command))
  return dataUse({ uses, naming: { commands, isConfig: () => false } }, from) !== null
}

/** Names of tests that passed on the base commit and no longer run. */
function goneNames({ base, change }: ChangeComparison): ReadonlySet<string> {
  const idsOf = ({ tests }: ChangeComparison['base']) => Object.values(tests).flatMap(passedIds)
  const still = new Set(
    Object.values(change.tests).flatMap((report) => report?.tests.map(({ id }) => leafOf(id)) ?? []),
  )
  return new Set(idsOf(base).flatMap((id) => (still.has(leafOf(id)) ? [] : [leafOf(id)])))
}

async function linesOf(
  deps: ComparingDeps,
  { gone, ...one }: OneFile & { readonly gone: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { path, from = path } = one.file
  const before = await textAt(deps, { sha: one.base.commit, path: from }, signal)
  const after = await textAt(deps, { sha: one.change.commit, path }, signal)
  const isText = before !== null && after !== null && !before.includes('\0') && !after.includes('\0')
  if (!isText) return changedLines(await diffOf(deps, one))
  if (isProgram(path) && isRenamedProgram(path, before, after)) return []
  const [was, is] = [withoutTests(from, before, gone).split('\n'), after.split('\n')]
  const sign = (by: string) => (line: string) => `${by}${line.replace(/\r$/, '')}`
  return [...except(was, is).map(sign('-')), ...except(is, was).map(sign('+'))]
}

/** The lines of one text that another one has less often. */
function except(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

/** The text without the test functions of these names. */
function withoutTests(path: string, text: string, names: ReadonlySet<string>): string {
  const blocks = names.size === 0 ? [] : (blocksOf(path, text)?.blocks ?? [])
  const isGone = ({ from, start }: CodeBlock) =>
    (text.slice(from, start).match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).some((word) => names.has(word))
  return blocks
    .filter((each) => each.isFunction && isGone(each))
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end }) => (end <= rest.length ? rest.slice(0, start) + rest.slice(end) : rest), text)
}

/**
 * True if a line is a table row, a condition or an assertion, or any line of data, but not a
 * message.
 */
function isExpectation(line: string, path: string): boolean {
  const said = line.trim()
  if (!isProgram(path)) return said !== '' && !/^[[\]{}(),]*$/.test(said)
  if (/^(?:\/\/|\/?\*|#\s)/.test(said) || /\.(?:Log|Error|Fatal|Skip)f?\(/.test(said)) return false
  return (
    countAssertions(line, path) > 0 || equality.test(said) || inequality.test(said) || /^[{[(].*[\])}],?$/.test(said)
  )
}

const equality = /[=!]=|_eq!?\(|_ne!?\(|(?:^|[^a-z])(?:not)?equals?\b|_EQ\b|_NE\b/i
const inequality = /(?<![-=<>])[<>]=?(?![<>])/

interface AddedLines {
  readonly lines: readonly string[]
  /** The tokens of all lines together. */
  readonly words: string
}

function addedIn(all: readonly string[]): AddedLines {
  const lines = all.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
  return { lines, words: ` ${tokensOf(lines.map(uncommented), { language: 'c-like' }).join(' ')} ` }
}

/**
 * True if the new lines contain a line in another layout or with other names of variables, or
 * compare all of its expected values as strictly as before.
 */
function isCarried(line: string, { lines, words }: AddedLines, path: string): boolean {
  const own = bare(line)
  if (lines.some((each) => bare(each) === own)) return true
  if (isProgram(path) && words.includes(` ${joined(line)} `)) return true
  const values = valuesOf(line)
  if (values.length === 0) return isProgram(path) && lines.some((each) => shapeOf(each) === shapeOf(line))
  return lines.some((each) => {
    const there = valuesOf(each)
    const hasAll = values.every((value) => {
      const at = there.indexOf(value)
      if (at >= 0) there.splice(at, 1)
      return at >= 0
    })
    return hasAll && (equality.test(each) || (!equality.test(line) && inequality.test(line)) || !inequality.test(each))
  })
}

const uncommented = (line: string) => line.replace(/(?:^|\s)\/\/.*$/, '')

const tokensIn = (line: string) => tokensOf([uncommented(line).replace(/[\s,]+$/, '')], { language: 'c-like' })

const joined = (line: string) => tokensIn(line).join(' ')

/** Equal for lines that differ in names of variables alone; names become numbers. */
function shapeOf(line: string): string {
  const tokens = tokensIn(line)
  const names: string[] = []
  return tokens
    .map((token, i) => {
      const isName = /^[\p{L}_$]/u.test(token) && !/^[(!:]$/.test(tokens[i + 1] ?? '') && tokens[i - 1] !== '.'
      if (!isName && !(tokens[i + 1] === '!' && tokens[i + 2] === '=')) return token
      if (!names.includes(token)) names.push(token)
      return `_${names.indexOf(token)}`
    })
    .join(' ')
}

/** A line without its layout and its failure message. */
const bare = (line: string) => line.replace(/,\s*"[^"]*"(?=\s*[,)]).*$/, ')').replace(/[\s,;]+/g, '')

const valuesOf = (line: string): string[] => [
  ...(line
    .replace(/,\s*"[^"]*"(?=\s*[,)]).*$/, ')')
    .match(/"(?:[^"\\]|\\.)*"|(?<![\w.])\d[\w.]*|\b(?:true|false|nil|NULL)\b/g) ?? []),
]
