import { posix } from 'node:path'
import { countAssertions } from '../../domain/gate/assertions.ts'
import { filesRunBy } from '../../domain/gate/files-run-by.ts'
import { agentsTold } from '../../domain/gate/gate-files.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { exampleFolder, filesNamedIn, guardedBy, isPackageManifest } from '../../domain/gate/guarded-file.ts'
import { changedEntries } from '../../domain/gate/manifests/loaded-entries.ts'
import { type ManifestChange, manifestChanges, objectOf } from '../../domain/gate/manifests/package-manifest.ts'
import { addsOnlyAssertions, declaresOwnTests } from '../../domain/gate/own-tests.ts'
import { shadowsModule } from '../../domain/gate/shadowed-modules.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig, Service } from '../../domain/run/run-config.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { capText } from '../../domain/text.ts'
import { isOfNewFolder } from '../assurance/installed-files.ts'
import { declaresTests } from './called-set-up.ts'
import { type ComparingDeps, contentsOf, type OneFile, textAt } from './compared-files.ts'

/** Findings on a changed file that decides about the gate; none for an ordinary file. */
export async function inConfiguration(
  deps: ComparingDeps,
  one: OneFile,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { base, change, config, file } = one
  const { path, from = path } = file
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const isTold = [path, from].some((each) => tellsAgents(each, config))
  if (!isInput(inputs, path) && !isTold && (await isOfExample(deps, one, signal))) return []
  if (isPackageManifest(path) && !path.startsWith('node_modules/')) return inManifest(deps, one, signal)
  const isOfTests = await declaresTests(deps, one, signal)
  const guarded = isOfTests ? null : (guardedBy(path, inputs) ?? guardedBy(from, inputs))
  const isRunTests = await staysTests(deps, one, signal)
  const named = guarded ?? (isTold ? agentsTold : isRunTests ? null : await runBy(deps, one, signal))
  // A runner's setting may load any test file except shell scripts.
  const what = named ?? (isRunTests && isShell(path) ? null : await readBeside(deps, one, signal))
  if (what === null) return []
  const { text } = await deps.history.diff({
    from: base.commit,
    to: change.commit,
    path,
    maxBytes: limits.gate.fileBytes,
  })
  return [
    {
      kind: 'configuration',
      file: path,
      claim: `${path} is ${file.status}, which decides about ${what}.`,
      evidence: capText(text, limits.gate.diffChars),
      identity: await contentsOf(deps, { base, change, files: [file] }),
    },
  ]
}

/** True by the file's name, or because a guide of the base commit imports it. */
function tellsAgents(path: string, { guides = [] }: RunConfig): boolean {
  return guardedBy(path, []) === agentsTold || guides.some(({ file, kind }) => kind === 'import' && file === path)
}

const isInput = (inputs: readonly string[], path: string): boolean =>
  inputs.some((input) => path === input || path.startsWith(`${input}/`))

/** Files that can direct the project's steps into other folders. */
const namingFolders = [
  'package.json',
  'pnpm-workspace.yaml',
  'lerna.json',
  'Makefile',
  'Cargo.toml',
  'go.work',
  'pyproject.toml',
  'tox.ini',
  'setup.cfg',
  'pytest.ini',
  'tsconfig.json',
  'CMakeLists.txt',
  'settings.gradle',
  'pom.xml',
  ...['jest', 'vitest', 'eslint'].flatMap((name) => ['js', 'cjs', 'mjs', 'ts'].map((end) => `${name}.config.${end}`)),
]

/**
 * True for an example's own configuration, which decides only about the example, as long as neither
 * a step nor the project's own configuration names its folder.
 */
async function isOfExample(deps: ComparingDeps, one: OneFile, signal: AbortSignal): Promise<boolean> {
  const { base, config, file } = one
  const folders = [file.path, file.from ?? file.path].map(exampleFolder)
  if (folders.includes(null)) return false
  const names = (text: string) => folders.some((folder) => new RegExp(`\\b${folder}\\b`, 'i').test(text))
  if (names(config.package) || commandsIn(config).some(({ command }) => names(command))) return false
  for (const name of namingFolders) {
    const text = await textAt(deps, { sha: base.commit, path: posix.join(config.package, name) }, signal)
    if (text !== null && names(text)) return false
  }
  return true
}

async function inManifest(deps: ComparingDeps, one: OneFile, signal: AbortSignal): Promise<readonly Suspicion[]> {
  const { base, change, config, file } = one
  const { path, from = path } = file
  const [before, after] = await Promise.all([
    textAt(deps, { sha: base.commit, path: from }, signal),
    textAt(deps, { sha: change.commit, path }, signal),
  ])
  const isInstalledFrom = config.prepare.some(({ inputs }) => inputs.includes(path))
  const run = manifestChanges(path, [before ?? '', after ?? ''], { isInstalledFrom })
  const loaded = await entriesIn(deps, one, [before ?? '', after ?? ''], signal)
  const changes = [...run, ...loaded]
  if (changes.length === 0) return []
  const what = [...(run.length > 0 ? ['run'] : []), ...(loaded.length > 0 ? ['loaded by its name'] : [])].join(' and ')
  const lines = changes.map(({ key, before: was, after: is }) => `${key}: ${shown(was)} → ${shown(is)}`)
  return [
    {
      kind: 'configuration',
      file: path,
      claim: `${path} changes what is ${what}: ${capText(changes.map(({ key }) => key).join(', '), limits.gate.lineChars)}.`,
      evidence: listed(lines),
      identity: [path, ...lines],
    },
  ]
}

/** Entries of a package.json that lead elsewhere, including those that shadow the package's own. */
async function entriesIn(
  deps: ComparingDeps,
  { base, file }: OneFile,
  [before, after]: readonly [before: string, after: string],
  signal: AbortSignal,
): Promise<readonly ManifestChange[]> {
  if (posix.basename(file.path) !== 'package.json') return []
  if (file.status === 'added') {
    // Files in its folder now load the package of that name from here.
    const { name, exports: exported } = objectOf(after) ?? {}
    if (name === undefined || exported === undefined || (await isOfNewFolder(deps, base.commit, file))) return []
    return [{ key: 'exports', before: null, after: JSON.stringify(exported) }]
  }
  const folder = posix.dirname(file.from ?? file.path)
  const listed = await deps.history.committed(base.commit).list('**', limits.change.files, signal)
  const files = new Set(listed.ok ? listed.value.paths : [])
  return changedEntries(before, after, (path) => files.has(posix.join(folder, path)))
}

function shown(value: string | null): string {
  return value === null ? '(none)' : JSON.stringify(value)
}

/**
 * A script that a step runs, by its command or by a script of the package: the change then decides
 * about the step.
 */
async function runBy(
  deps: ComparingDeps,
  { base, config, file }: OneFile,
  signal: AbortSignal,
): Promise<string | null> {
  const { path } = file
  const isNamed = (names: readonly string[]) => namesIn(config, names).includes(path)
  const runs = commandsIn(config).find(({ command }) => isNamed(filesRunBy(command)))
  if (runs !== undefined && !(await isTest(deps, { sha: base.commit, path }, signal)))
    return `${runs.of}, which runs it`
  if (!isScript(path)) return null
  const names = (text: string) => isNamed(filesNamedIn(text))
  const naming = commandsIn(config).find(({ command }) => names(command))
  if (naming !== undefined) return `${naming.of}, which runs it`
  const manifest = await textAt(deps, { sha: base.commit, path: posix.join(config.package, 'package.json') }, signal)
  return manifest !== null && names(manifest) ? 'a script of package.json, which runs it' : null
}

/**
 * The files that the steps were seen to read on the base commit besides tests and their sources,
 * and new files in places that would be read.
 */
async function readBeside(
  deps: ComparingDeps,
  { base, change, config, file }: OneFile,
  signal: AbortSignal,
): Promise<string | null> {
  const { path, from = path, status } = file
  const known = base.deciding?.files.find((each) => each.path === path || each.path === from)
  if (known !== undefined) return known.what
  if (['added', 'renamed'].includes(status) && shadowsModule(path, config.package))
    return 'Python, which imports it in place of a module that its runner needs'
  if (!isTestPackage(path)) return null
  const texts = await Promise.all([base, change].map(({ commit }) => textAt(deps, { sha: commit, path }, signal)))
  const runs = (text: string | null) => (text ?? '').replace(/^[ \t]*#.*$/gm, '').trim() !== ''
  return texts.some(runs) ? 'the tests, before which Python runs it' : null
}

function isTestPackage(path: string): boolean {
  return isTestFile(path) && path.endsWith('/__init__.py')
}

/**
 * True for a test file with assertions of its own; without any, the file may be what runs the
 * tests.
 */
async function isTest(deps: ComparingDeps, at: Parameters<typeof textAt>[1], signal: AbortSignal): Promise<boolean> {
  return isTestFile(at.path) && countAssertions((await textAt(deps, at, signal)) ?? '', at.path) > 0
}

/** True if the findings of `inConfiguration` could be about a file of this path. */
export function mayDecide(path: string, { base, config }: Pick<OneFile, 'base' | 'config'>): boolean {
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const isRun = commandsIn(config).some(({ command }) => namesIn(config, filesRunBy(command)).includes(path))
  const isRead = base.deciding?.files.some((each) => each.path === path) || shadowsModule(path, config.package)
  const isGuarded = guardedBy(path, inputs) !== null || tellsAgents(path, config)
  return isPackageManifest(path) || isGuarded || isRun || isScript(path) || isRead
}

/** The commands that decide the verdict: those of the steps, and of the services beside them. */
function commandsIn({ steps, services = [] }: RunConfig): readonly { readonly of: string; readonly command: string }[] {
  const ready = (service: Service) => ('command' in service.ready ? [service.ready.command] : [])
  return [
    ...steps.map(({ name, command }) => ({ of: `the step ${name}`, command })),
    ...services.flatMap((service) =>
      [service.command, ...ready(service)].map((command) => ({ of: `the service ${service.name}`, command })),
    ),
  ]
}

/** Paths of the repository that a step's command names from its folder. */
function namesIn(config: RunConfig, names: readonly string[]): readonly string[] {
  return names.map((name) => posix.join(config.package, name))
}

const isShell = (path: string): boolean => /\.(?:sh|bash|bats)$/.test(path)

function isScript(path: string): boolean {
  return (
    /\.(sh|bash|ps1|bat|cmd)$/.test(path) || (/(^|\/)(scripts?|ci|tools|hack|build)\//.test(path) && !isTestFile(path))
  )
}

/**
 * True if a program is a test file both in the base commit and in the change. Although a step names
 * it like a script that runs tests, its tests are compared like those of other test files.
 */
async function staysTests(deps: ComparingDeps, { base, change, file }: OneFile, signal: AbortSignal): Promise<boolean> {
  const { path, from = path, status } = file
  if (status === 'added' || status === 'deleted' || ![path, from].every(isTestFile)) return false
  const before = await textAt(deps, { sha: base.commit, path: from }, signal)
  const after = await textAt(deps, { sha: change.commit, path }, signal)
  if (before === null || after === null) return false
  if (path === from && addsOnlyAssertions(before, after, path)) return true
  return declaresOwnTests(before, from) && declaresOwnTests(after, path)
}
