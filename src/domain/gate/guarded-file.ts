import { type GateFiles, gateFiles, setUpOfTests } from './gate-files.ts'

interface Guard {
  readonly what: string
  readonly path: RegExp
  readonly notInFixtures: boolean
  readonly unlessTests: boolean
}

const special = /[.+?^$()|[\]\\]/g

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean)

/** `{a,b}` as alternatives, `*` as any part of a name. */
const sourceOf = (glob: string): string =>
  glob
    .replace(special, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^{}]*)\}/g, (_, inside: string) => `(?:${inside.replaceAll(',', '|')})`)

/** A slash makes a name a path from the root; any other name matches in all folders. */
function sourceOfName(name: string): string {
  const isRooted = name.slice(0, -1).includes('/') || (name.startsWith('.') && name.endsWith('/'))
  const source = sourceOf(name.replace(/^\//, ''))
  return `${isRooted ? '^' : '(?:^|/)'}${source}${name.endsWith('/') ? '' : '$'}`
}

/** Each source has all program names once, which compiles four times as fast. */
function sourcesOfPrograms(programs: readonly string[]): readonly string[] {
  if (programs.length === 0) return []
  const name = `(?:${programs.map(sourceOf).join('|')})`
  const between = '(?:[._-][^/]*)?'
  return [
    `(?:^|/)\\.${name}(?:[._-][^/]*)?$`,
    `(?:^|/)\\.?${name}${between}(?:rc|ignore|[.-](?:config|conf|baseline))(?:\\.[^/]*)?$`,
    `(?:^|/)${name}${between}\\.(?:json[c5]?|ya?ml|toml|ini|cfg)$`,
  ]
}

let guards: readonly Guard[] | undefined

/** Built on first use: the expressions take a moment to compile, and a start needs none of them. */
function allGuards(): readonly Guard[] {
  guards ??= gateFiles.map(guardOf)
  return guards
}

function guardOf({ what, names, programs = '', folders = '', ...conditions }: GateFiles): Guard {
  const sources = [
    ...wordsOf(names).map(sourceOfName),
    ...sourcesOfPrograms(wordsOf(programs)),
    ...wordsOf(folders).map((folder) => `(?:^|/)${sourceOf(folder)}/`),
  ]
  const { notInFixtures = false, unlessTests = false } = conditions
  return { what, path: new RegExp(sources.join('|'), 'i'), notInFixtures, unlessTests }
}

/** Set-up by its place among the tests. */
const setUpAmongTests: Guard = {
  what: setUpOfTests,
  notInFixtures: false,
  unlessTests: true,
  path: /(?:^|\/)(?:tests?|__tests__|specs?|e2e|integration)\/(?:[^/]+\/)*(?:(?:set-?up|teardown|bootstrap|global[-_.]?(?:set-?up|teardown)|hooks?|main)\.(?:[cm]?[jt]sx?|rb|php|exs|rs|kts?|sh)|(?:set-?up|bootstrap|hooks|support)\/[^/]+\.(?:[cm]?[jt]sx?|rb|py|php)|common\/mod\.rs)$|(?:^|\/)(?:features|cypress)\/support\//i,
}

/** Folders of data that tests read; nothing in them is run as a test. */
const fixtures =
  /(?:^|\/)_{0,2}(?:fixtures?|test-?_?data|test[-_]?fixtures|cassettes|snapshots|golden)_{0,2}\/|(?:^|\/)(?:tests?|__tests__|specs?)\/(?:[^/]+\/)*(?:data|samples|examples|resources|files)\//i

/** Longer paths cannot be checked out. */
const mostChars = 4_096

/**
 * The decision that a file affects; null for an ordinary file. `inputs` are the configured files
 * that dependencies are installed from.
 */
export function guardedBy(path: string, inputs: readonly string[]): string | null {
  return isInput(path, inputs) ? 'installed dependencies' : (guardOfPath(path)?.what ?? null)
}

/** True if a file decides only while it declares no tests: set-up by its name or its place. */
export function isSetUpUnlessTests(path: string, inputs: readonly string[]): boolean {
  return !isInput(path, inputs) && guardOfPath(path)?.unlessTests === true
}

function isInput(path: string, inputs: readonly string[]): boolean {
  return inputs.some((input) => path === input || path.startsWith(`${input.replace(/\/+$/, '')}/`))
}

function guardOfPath(path: string): Guard | undefined {
  const shown = path.slice(-mostChars)
  const isData = fixtures.test(shown)
  return [...allGuards(), setUpAmongTests].find((each) => !(isData && each.notInFixtures) && each.path.test(shown))
}

/** True if tests read the file, judged by its folder. */
export function isFixture(path: string): boolean {
  return fixtures.test(path.slice(-mostChars))
}

/**
 * The folder of examples or documents that contains a path; null for any other path, and among
 * tests or installed packages.
 */
export function exampleFolder(path: string): string | null {
  const folders = path.slice(-mostChars).split('/').slice(0, -1)
  const at = folders.findIndex((name) => /^(?:examples?|samples?|demos?|docs?)$/i.test(name))
  const isElsewhere = folders
    .slice(0, Math.max(0, at))
    .some((name) => /^\.|^(?:node_modules|vendor|tests?|__tests__|specs?|e2e)$/i.test(name))
  return isElsewhere ? null : (folders[at] ?? null)
}

/** True for the manifest of a package, of which only some parts decide about the gate. */
export function isPackageManifest(path: string): boolean {
  const shown = path.slice(-mostChars)
  return /(?:^|\/)(?:package\.json|composer\.json|pyproject\.toml|Cargo\.toml)$/.test(shown) && !fixtures.test(shown)
}

/** Files of the tree that a command names: they decide what the command runs. */
export function filesNamedIn(command: string): readonly string[] {
  const words = command.split(/[\s;&|()<>'"`=,{}[\]]+/).filter(Boolean)
  const files = words.map((word) => word.replace(/^(?:\.\/+)+/, '').replace(/\/{2,}/g, '/'))
  return [...new Set(files.filter((word) => /[./]/.test(word) && !word.startsWith('-')))]
}
