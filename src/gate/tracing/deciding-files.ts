import { posix } from 'node:path'
import { countAssertions } from '../../domain/gate/assertions.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { isProgram } from '../../domain/gate/file-kind.ts'
import { isEntry } from '../../domain/gate/files-run-by.ts'
import { setUpOfTests } from '../../domain/gate/gate-files.ts'
import { guardedBy, isPackageManifest, isSetUpUnlessTests } from '../../domain/gate/guarded-file.ts'
import { declaresOwnTests } from '../../domain/gate/own-tests.ts'
import { shadowsModule } from '../../domain/gate/shadowed-modules.ts'
import { isObject, parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { History } from '../../ports/history.ts'
import { isTestCode } from '../findings/test-code.ts'
import { type FileMention, namedIn, namedInCommands, pathsFor } from './named-files.ts'
import type { FileAccess } from './step-trace.ts'
import type { Tracing } from './tracing.ts'

export interface DecidingFile {
  readonly path: string
  /** The decision and its evidence; continues "which decides about". */
  readonly what: string
}

/**
 * Files of one commit that decide about its steps although no rule about names covers them; plain
 * JSON.
 */
export interface DecidingFiles {
  /** The reason why the steps were not traced, in plain words; null if they were. */
  readonly untraced: string | null
  /** True if the reason was that nothing could be traced. */
  readonly withoutTracer: boolean
  readonly files: readonly DecidingFile[]
  /** Files that decide by their names, as far as the steps read them. */
  readonly known: readonly string[]
  /** Data files that the steps opened only in processes of tests; left out by older versions. */
  readonly inTests?: readonly string[]
  /** Number of files beyond the limit. */
  readonly more: number
}

interface Finding {
  readonly deps: { readonly history: History }
  readonly commit: string
  readonly config: RunConfig
  readonly traced: Tracing
  readonly signal: AbortSignal
}

interface Text {
  /** '' for a command. */
  readonly path: string
  readonly says: string
  readonly names: readonly FileMention[]
}

/**
 * Finds the files that decide about the steps, starting from their commands and configuration and
 * from the files that they were seen to read.
 */
export async function findDecidingFiles(finding: Finding): Promise<DecidingFiles> {
  const { traced } = finding
  const look = createLook(finding)
  const seen = new Map<string, string>()
  const followed = new Set<string>()
  let texts: readonly Text[] = await firstTexts(look)
  for (let depth = 0; depth < limits.trace.depth && texts.length > 0; depth += 1) {
    const next: Text[] = []
    for (const text of texts) {
      for (const { path, as } of await look.decidersIn(text)) {
        const reads = as === 'script' ? 'runs or reads it before its tests' : 'loads it beside its tests'
        if (!seen.has(path)) seen.set(path, `${look.stepOf(path)}, which ${reads}: ${text.says} names it`)
        if (followed.has(path)) continue
        followed.add(path)
        next.push(...(await look.textOf(path, { isScript: as !== 'loaded' })))
      }
    }
    texts = next
  }
  for (const [path, what] of await look.readByPrograms()) if (!seen.has(path)) seen.set(path, what)
  const files = [...seen].map(([path, what]) => ({ path, what })).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const known = (await look.known()).toSorted()
  const most = limits.trace.files
  const more = Math.max(0, files.length - most) + Math.max(0, known.length - most)
  const { untraced, withoutTracer } = traced
  const inTests = look.openedByTests().slice(0, limits.trace.data)
  return { untraced, withoutTracer, files: files.slice(0, most), known: known.slice(0, most), inTests, more }
}

interface Decider {
  readonly path: string
  readonly as: FileMention['as']
}

type Look = ReturnType<typeof createLook>

/**
 * Commands of the steps and of the programs that they were seen to start; the package's manifest,
 * and its runners' configuration.
 */
async function firstTexts(look: Look): Promise<readonly Text[]> {
  const { config, traced } = look
  const commands = config.steps.map(
    ({ name, command }): Text => ({ path: '', says: `the step ${name}`, names: namedInCommands(command) }),
  )
  const started = [...traced.steps].map(
    ([name, { commands: lines }]): Text => ({
      path: '',
      says: `a command of the step ${name}`,
      names: lines.flatMap((line) => namedInCommands(line)),
    }),
  )
  const configured = await Promise.all(
    (await look.configurations()).map((path) => look.textOf(path, { isScript: !look.isSetUp(path) })),
  )
  return [...commands, ...started, ...configured.flat()]
}

function createLook({ deps, commit, config, traced, signal }: Finding) {
  const inputs = config.prepare.flatMap((step) => step.inputs)
  const all = new Map<string, FileAccess[]>()
  for (const { opened } of traced.steps.values())
    for (const [path, each] of opened) all.set(path, [...(all.get(path) ?? []), each])
  const isTraced = traced.untraced === null
  const hasTests = [...traced.steps.values()].some((step) => step.hasTests)
  const tree = deps.history.committed(commit)
  const read = async (path: string): Promise<string | null> => {
    const found = await tree.read(path, limits.gate.fileBytes, signal)
    return found.ok ? Buffer.from(found.value.base64, 'base64').toString('utf8') : null
  }
  const isKnown = (path: string) => isPackageManifest(path) || guardedBy(path, inputs) !== null
  let application: Promise<string> | null = null

  /** Imports of tests and entry points of the package: the texts that name sources. */
  const namesOfSources = () => {
    application ??= (async () => {
      const tests = [...all.keys()].filter((path) => isTestCode(path, inputs)).slice(0, limits.trace.tests)
      const manifest = JSON.stringify(entriesOf((await read(posix.join(config.package, 'package.json'))) ?? ''))
      return [manifest, ...(await Promise.all(tests.map(read)))].join('\n')
    })()
    return application
  }

  async function isSource(path: string): Promise<boolean> {
    if (isEntry(path)) return true
    const [name = ''] = posix.basename(path).split('.')
    const escaped = name.replace(/[^\w]/g, '\\$&')
    const named = new RegExp(`["'/.]${escaped}(?:\\.\\w+)?["']|\\b(?:from|import)[ \\t]+[\\w.]*\\b${escaped}\\b`)
    return named.test(await namesOfSources())
  }

  async function decides(path: string, as: FileMention['as']): Promise<boolean> {
    if (isTraced && !all.has(path)) return false
    if (await declaresTests(path)) return as === 'loaded'
    if (isKnown(path)) return false
    if (as === 'script' && declaresOwnTests((await read(path)) ?? '', path)) return false
    const isNamedTest = /[._-](?:test|spec)\.|(?:^|\/)test_/.test(path)
    if (isTestCode(path, inputs) && (isNamedTest || (await asserts(path)))) return false
    if (as === 'script') return (hasTests || !isEntry(path)) && isEarly(path)
    return as === 'loaded' || !(await isSource(path))
  }

  /** True for a file that something other than a test reads or runs. */
  function isEarly(path: string): boolean {
    return !isTraced || (all.get(path) ?? []).some(({ before }) => before)
  }

  /** True for a test file that is named like set-up: it decides only if a setting loads it. */
  async function declaresTests(path: string): Promise<boolean> {
    return isSetUpUnlessTests(path, inputs) && declaredTests((await read(path)) ?? '', path).length > 0
  }

  async function asserts(path: string): Promise<boolean> {
    return countAssertions((await read(path)) ?? '', path) > 0
  }

  return {
    config,
    traced,
    stepOf: (path: string) => {
      const [first = config.steps[0]?.name] = [...traced.steps].flatMap(([name, { opened }]) =>
        opened.has(path) ? [name] : [],
      )
      return `the step ${first}`
    },
    openedByTests: () =>
      [...all].flatMap(([path, opened]) =>
        !isProgram(path) && !isKnown(path) && opened.every(({ before }) => !before) ? [path] : [],
      ),
    isSetUp: (path: string) => guardedBy(path, inputs) === setUpOfTests,

    /** Files of the repository that decide by their names, as far as the steps have opened them. */
    async known(): Promise<readonly string[]> {
      const found: string[] = []
      for (const path of all.keys())
        if (!path.includes('node_modules/') && isKnown(path) && !(await declaresTests(path))) found.push(path)
      return found
    },

    /**
     * Configuration of runners and builds: the files that the steps read if known, else all of
     * them.
     */
    async configurations(): Promise<readonly string[]> {
      const listed = isTraced ? null : await tree.list('**', limits.listResults, signal)
      const paths = listed === null ? [...all.keys()] : listed.ok ? listed.value.paths : []
      return paths.filter((path) => isKnown(path) && !path.includes('node_modules/')).slice(0, limits.gate.files)
    },

    /**
     * Code loaded with the tests imports the tested code, and a script its own parts, so only a
     * script's imports count.
     */
    async textOf(path: string, { isScript }: { readonly isScript: boolean }): Promise<readonly Text[]> {
      const text = await read(path)
      const names = text === null ? [] : namedIn(path, text).filter(({ as }) => isScript || as !== 'imported')
      return [{ path, says: path, names }]
    },

    async decidersIn({ path, names }: Text): Promise<readonly Decider[]> {
      const folders = [...new Set([posix.dirname(path), config.package])]
      const found: Decider[] = []
      for (const named of names.slice(0, limits.trace.names)) {
        // A module is searched beside its importer.
        const from = named.as === 'imported' ? folders.slice(0, 1) : folders
        const paths = from.flatMap((folder) => pathsFor(named).map((name) => posix.join(folder, name)))
        for (const each of await filesAmong(paths))
          if (await decides(each, named.as)) found.push({ path: each, as: named.as })
      }
      return found
    },

    /**
     * Files read by interpreters, which read only scripts that they run; and files that take effect
     * on their own.
     */
    async readByPrograms(): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>()
      for (const [step, { opened, hasTests: isTesting }] of traced.steps) {
        const early = [...opened].filter(([path, { before }]) => before && !isKnown(path) && !isTestCode(path, inputs))
        for (const [path, { by, executed }] of early.slice(0, limits.trace.early)) {
          const reader = executed ? path : [...by].find((program) => interpreters.test(program))
          const scripts = [...by].filter((program) => program.includes('/') && program !== path)
          const runs = reader !== undefined || (await anyShell(scripts))
          const isEnvironment = /(?:^|\/)\.env(?:\.[^/]*)?$/.test(path)
          const isShadow = isTesting && shadowsModule(path, config.package)
          if (!(runs && (isTesting || !isEntry(path))) && !isEnvironment && !isShadow) continue
          if ((await filesAmong([path])).length === 0) continue
          if (!executed && !isEnvironment && !isShadow && (await isInput(path))) continue
          found.set(path, `the step ${step}, which ${executed ? 'runs' : 'reads'} it before its tests`)
        }
      }
      return found
    },
  }

  /**
   * True for a file that a shell opens and passes on without running it: the input of a command, or
   * a file that is not text.
   */
  async function isInput(path: string): Promise<boolean> {
    const [before, after] = [posix.basename(path).replace(/[^\w]/g, '\\$&'), String.raw`(?![\w.-])`]
    const redirected = new RegExp(String.raw`<\s*["']?(?:[\w./-]*/)?${before}${after}`)
    if (config.steps.some(({ command }) => redirected.test(command))) return true
    const text = await read(path)
    return text === null || text.includes('\0')
  }

  async function anyShell(scripts: readonly string[]): Promise<boolean> {
    const texts = await Promise.all(scripts.map(read))
    return texts.some((text) => /^#!.*\b(?:ba|da|z|k)?sh\b|^#!.*\bmake\b/.test(text ?? ''))
  }

  /** The paths that are files of the commit. */
  async function filesAmong(paths: readonly string[]): Promise<readonly string[]> {
    const inside = [...new Set(paths)].filter(
      (path) => path !== '.' && !path.startsWith('../') && !path.startsWith('/'),
    )
    if (inside.length === 0) return []
    const contents = await deps.history.contents(commit, inside)
    return inside.filter((path) => /^100/.test(contents[path] ?? ''))
  }
}

/** Programs that read no files except the scripts that they run. */
const interpreters = /^(?:(?:ba|da|z|k|a)?sh|busybox|g?make|bmake|ninja|just)$/

/** The fields of a manifest that name the application's entry points. */
function entriesOf(manifest: string): unknown {
  const read = parsedJson(manifest)
  if (!isObject(read)) return {}
  const { main, module, browser, bin, exports: exported, types } = read
  return { main, module, browser, bin, exported, types }
}
