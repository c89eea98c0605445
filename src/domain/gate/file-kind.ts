import { isTestFile } from '../story/plan.ts'
import { guardedBy, isFixture, isPackageManifest } from './guarded-file.ts'

/** The kind of a file, as the gate sees it: see docs/gate.md. */
export type FileKind = 'source' | 'test' | 'fixture' | 'config' | 'other'

/** A changed file, as a manifest names it. */
export interface FileOfKind {
  readonly path: string
  readonly is: FileKind
}

/** Programs for work on the repository itself, by their folder or their name. */
const script = /^(?:scripts?|ci|tools|hack|build|bin\/ci|\.github)\/|\.(?:sh|bash|zsh|ps1|bat|cmd|mk)$/

/** Files that only people read. */
const text =
  /(?:^|\/)(?:docs?|documentation|man)\/|\.(?:md|mdx|markdown|rst|adoc)$|(?:^|\/)(?:licen[cs]e|copying|notice|authors|contributors|change(?:log|s)|readme|news|history)[^/]*$/i

/** Expected results of tests, in any folder. */
const expectation = /\.snap(?:shot)?$|\.(?:golden|approved|expected)(?:\.[^/.]+)?$|(?:^|\/)__(?:image_)?snapshots__\//

/** Program text, which tests are made of; tests read any other file that lies among them. */
const program =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|scala|groovy|cs|fs|vb|swift|php|c|cc|cpp|cxx|h|hh|hpp|hxx|m|mm|pl|pm|t|bats|feature|exs?|erl|clj[cs]?|hs|lua|dart|r|jl|nim|zig|vue|svelte|astro|sh)$/i

/** True if a file, by its name, is program text and not data. */
export function isProgram(path: string): boolean {
  return program.test(path)
}

/** True if a file, by its name, holds expected results, or lies among data of tests. */
export function isKeptData(path: string): boolean {
  return expectation.test(path) || isFixture(path)
}

/**
 * True if a file is for people, or for tools other than the tests, in any folder but those of data.
 */
export function isForPeople(path: string): boolean {
  return !isKeptData(path) && (text.test(path) || /(?:^|\/)\.[^/]+$/.test(path))
}

/**
 * The first kind that applies. fixture: data that tests read or compare with. config: decides which
 * commands and tests run, by the rules of `gate-files` or by `deciding`; files of `tests` are
 * excepted, since they are named like set-up but declare tests. test: a file that a runner would
 * look into. other: text for people. source: everything else.
 */
export function fileKind(
  path: string,
  deciding: {
    readonly inputs: readonly string[]
    readonly named: ReadonlySet<string>
    readonly tests?: ReadonlySet<string>
  },
): FileKind {
  if (expectation.test(path)) return 'fixture'
  if (deciding.named.has(path) && !isTestFile(path)) return 'config'
  const isTests = deciding.tests?.has(path) === true
  if (!isTests && (isPackageManifest(path) || guardedBy(path, deciding.inputs) !== null)) return 'config'
  if (isFixture(path)) return 'fixture'
  if (isTestFile(path)) return program.test(path) ? 'test' : 'fixture'
  if (script.test(path)) return 'config'
  return text.test(path) ? 'other' : 'source'
}
