import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type InputOptions, type ModuleInfo, type OutputBundle, type OutputOptions, rolldown } from 'rolldown'
import { readersVersion } from '../src/adapters/test-reports/readers-version.ts'
import { hostedProviders } from '../src/domain/providers.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** Folders of the packages whose code is in a bundle. */
const packages = new Set<string>()

/** Removes Zod's messages in fifty languages, a third of its size; it uses English by default. */
const oneLanguage = {
  name: 'one-language',
  resolveId(source: string, importer: string | undefined): string | null {
    if (source !== '../locales/index.js' || !importer?.includes('/zod/')) return null
    return join(dirname(importer), '../locales/en.js')
  },
}

/**
 * Reduces the list of prices, whose expression for 43 providers takes 20 ms to run right before the
 * first request. The providers that Drydock asks by name are kept as text.
 */
const pricesOfHosted = {
  name: 'prices-of-hosted',
  transform(code: string, id: string): string | null {
    if (!id.includes('/@pydantic/genai-prices/')) return null
    const [declared, list] = /^const \w+ = (\[\n[\s\S]*?\n\])(?=[,;])/.exec(code) ?? []
    if (declared === undefined || list === undefined) throw new Error(`${id} does not begin with its list of providers`)
    const providers: readonly { readonly id: string }[] = new Function(`return ${list}`)()
    const hosted = providers.filter(({ id }) => Object.hasOwn(hostedProviders, id))
    const text = JSON.stringify(hosted)
    if (hosted.length < Object.keys(hostedProviders).length || !isDeepStrictEqual(JSON.parse(text), hosted))
      throw new Error(`${id} has other providers than those that are asked`)
    const listed = code.replace(list, () => `JSON.parse(${JSON.stringify(text)})`)
    return replaceOnce(id, listed, sortedByLocale, '(([t], [a]) => t < a ? -1 : t > a ? 1 : 0)')
  },
}

/** The list sorts the keys of its own maps by a locale; the first such comparison takes 10 ms. */
const sortedByLocale = '(([t], [a]) => t.localeCompare(a))'

function replaceOnce(id: string, code: string, from: string, to: string): string {
  if (code.split(from).length !== 2) throw new Error(`${id} does not have once: ${from}`)
  return code.replace(from, () => to)
}

/**
 * Replaces the SDK's use of `Headers` for a request's headers, for which Node would load all of
 * fetch: 20 ms, right before the first request. Its callers only pass records.
 */
const plainHeaders = {
  name: 'plain-headers',
  transform(code: string, id: string): string | null {
    if (!/\/@ai-sdk\/provider-utils\/dist\/index\.m?js$/.test(id)) return null
    const parts = [
      [
        'if (headers instanceof Headers) headers.forEach((value, key) => {',
        'if (typeof headers.forEach === "function" && !Array.isArray(headers)) headers.forEach((value, key) => {',
      ],
      [
        'const normalizedHeaders = new Headers(normalizeHeaders(headers));',
        'const normalizedHeaders = new Map(Object.entries(normalizeHeaders(headers)));',
      ],
    ] as const
    return parts.reduce((text, [from, to]) => replaceOnce(id, text, from, to), code)
  },
}

/**
 * Delays the copy of all of Zod that the reader of foreign schemas makes, which takes 4 ms, until
 * it is used.
 */
const schemasOfOthers = {
  name: 'schemas-of-others',
  transform(code: string, id: string): string | null {
    if (!id.endsWith('/zod/v4/classic/from-json-schema.js')) return null
    const copy = 'const z = {\n    ..._schemas,\n    ..._checks,\n    iso: _iso,\n};'
    const late = 'let copied;\nconst copy = () => copied ??= { ..._schemas, ..._checks, iso: _iso };'
    return replaceOnce(id, code, copy, late).replaceAll(/(?<![\w.])z(?=\s*\.\s*\w)/g, 'copy()')
  },
}

/**
 * Delays the definition of a stream class in the SDK, for which Node loads all of web streams: 9
 * ms, right before the first request. The SDK needs the class only when the reply arrives.
 */
const streamsWhenUsed = {
  name: 'streams-when-used',
  transform(code: string, id: string): string | null {
    if (!id.endsWith('/eventsource-parser/dist/stream.js')) return null
    const late = [
      'let made;',
      'function EventSourceParserStream(options) { return new (made ??= make())(options); }',
      'const make = () => class extends TransformStream {',
    ].join('\n')
    return replaceOnce(id, code, 'class EventSourceParserStream extends TransformStream {', late)
  },
}

/**
 * Stops Zod from compiling a program for each schema at first use. A run uses most schemas a few
 * times, so compiling costs 5 % of the processor time of a task of 30 turns.
 */
const schemasWithoutPrograms = {
  name: 'schemas-without-programs',
  transform(code: string, id: string): string | null {
    if (!id.endsWith('/zod/v4/core/schemas.js')) return null
    return replaceOnce(id, code, 'const jit = !core.globalConfig.jitless;', 'const jit = false;')
  },
}

/**
 * Replaces imports of Node's modules by `process.getBuiltinModule`: an import reads every member,
 * and so loads parts that Node delays, such as the argument parser of `node:util`: 8 ms of a start.
 */
const builtinsAsTheyAre = {
  name: 'builtins-as-they-are',
  renderChunk(code: string): string {
    const taken = code.replaceAll(
      /^import (?:\* as (?<all>[\w$]+)|(?<whole>[\w$]+)?(?:, )?(?:\{ (?<names>[^}]*) \})?) from "(?<module>node:[\w/]+)";$/gm,
      (line, ...rest) => {
        const { all, whole, names, module } = rest.at(-1) as Record<string, string | undefined>
        const named = names?.replaceAll(/\b([\w$]+) as ([\w$]+)/g, '$1: $2')
        const bound = [all, whole, named && `{ ${named} }`].filter(Boolean)
        if (bound.length === 0) throw new Error(`not understood: ${line}`)
        return `const ${bound.map((each) => `${each} = process.getBuiltinModule("${module}")`).join(', ')};`
      },
    )
    const left = /^import\b[^;]*?"node:[^"]*"/m.exec(taken)
    if (left) throw new Error(`not understood: ${left[0]}`)
    return taken
  },
}

/**
 * Escapes all letters outside ASCII. A source with one of them takes two bytes a letter in memory:
 * 3 MB more, and 3 % more time to load. Escapes are the same texts, except in `String.raw`.
 */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options: unknown, files: OutputBundle): void {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      if (/String\.raw`[^`]*[^\p{ASCII}]|(?<!\\)(?:\\\\)*\\[^\p{ASCII}]/u.test(file.code))
        throw new Error(`${file.fileName} has a raw or an escaped letter that cannot be escaped`)
      file.code = file.code.replace(/[^\p{ASCII}]/gu, (letter) =>
        letter
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
      )
    }
  },
}

/**
 * Wraps a chunk in a function that `src/boot/` calls with its dependencies; wrapping it there would
 * copy the text twice.
 */
const asFunctions = {
  name: 'as-functions',
  generateBundle({ format }: { readonly format: string }, files: OutputBundle): void {
    if (format !== 'cjs') return
    for (const file of Object.values(files))
      if (file.type === 'chunk')
        file.code = `(function (exports, require, __filename, __dirname) { 'use strict'; ${file.code}\n})`
  },
}

/**
 * Bundles the program: the code that starts at once and the code that a task needs until its first
 * request become one file each, since finding and opening a file takes time; the rest becomes
 * chunks that are loaded when used. `src/boot/` loads them, which it cannot do with modules.
 */
await bundle(
  'chunks',
  { main: 'src/cli/run-command-line.ts' },
  {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: [{ debugName: 'start', name: startChunks(), includeDependenciesRecursively: false }] },
  },
  { define: { versionOfReaders: JSON.stringify(readersVersion(join(root, 'src/adapters/test-reports'))) } },
)
/** The program starts with this file. A checkout compares its time with that of the sources. */
await bundle(
  'program',
  { main: 'src/boot/main.ts' },
  { codeSplitting: false },
  { define: { buildOfChunks: JSON.stringify(await contentOf(join(dist, 'chunks'))) } },
)
/** Programs for the sandbox are one file each, since the sandbox shows nothing else of Drydock. */
await bundle('runner', { main: 'src/adapters/sandbox/runner/main.ts' }, { codeSplitting: false })
await bundle('forwarder', { forwarder: 'src/adapters/sandbox/egress/inside/forwarder.ts' }, { codeSplitting: false })
await bundle('bridge', { bridge: 'src/adapters/acp/inside/bridge.ts' }, { codeSplitting: false })
await bundle('services', { main: 'src/adapters/sandbox/step-services/inside/main.ts' }, { codeSplitting: false })
await writeFile(join(dist, 'licenses.txt'), await licenses())
const built = ['chunks', 'program', 'runner', 'forwarder', 'bridge', 'services', 'licenses.txt', 'dashboard']
for (const name of await readdir(dist)) if (!built.includes(name)) await rm(join(dist, name), { recursive: true })

/**
 * Chunks are named by their content, and `main` replaces the old one. So a process that runs the
 * bundle during a rebuild still finds its chunks, if nothing has changed.
 */
async function bundle(
  folder: string,
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
  transform: InputOptions['transform'] = {},
): Promise<void> {
  const options: InputOptions = {
    transform,
    input,
    cwd: root,
    platform: 'node',
    // The package's default entry loads files next to it at run time.
    resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    // The package finds its binary relative to its own file.
    external: [/^node:/, '@vscode/ripgrep'],
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      ...[oneLanguage, pricesOfHosted, plainHeaders, schemasOfOthers, schemasWithoutPrograms],
      ...[streamsWhenUsed, builtinsAsTheyAre, asciiOnly, asFunctions],
    ],
  }
  const made = await rolldown(options)
  const { output: files } = await made.write({ format: 'esm', ...output, dir: join(dist, folder), comments: false })
  await made.close()
  for (const file of files) {
    const modules = file.type === 'chunk' ? Object.keys(file.modules) : []
    for (const id of modules) {
      const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)
      if (found) packages.add(found[0])
    }
  }
  const names = new Set(files.map(({ fileName }) => fileName))
  for (const name of await readdir(join(dist, folder)))
    if (!names.has(name)) await rm(join(dist, folder, name), { recursive: true })
}

/** A hash that changes with any file of a folder. */
async function contentOf(folder: string): Promise<string> {
  const sum = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) sum.update(`${name}\n`).update(await readFile(join(folder, name)))
  return sum.digest('hex').slice(0, 16)
}

interface Graph {
  getModuleInfo(id: string): ModuleInfo | null
}

/**
 * Names the chunks of the start: code that asks another process to do the command (`door`), code
 * for doing it in this process (`frame`), the further imports of `drydock task` (`work`), and the
 * code of a process that works on a state (`owner`). The entry itself stays separate, since it
 * finishes loading after all others.
 */
function startChunks() {
  const entry = join(root, 'src/cli/run-command-line.ts')
  let door: ReadonlySet<string> = new Set()
  let frame: ReadonlySet<string> = new Set()
  let work: ReadonlySet<string> | undefined
  let owner: ReadonlySet<string> = new Set()
  return (id: string, graph: Graph): string | null => {
    if (work === undefined) {
      door = imported(entry, graph)
      frame = imported(join(root, 'src/cli/program/run-here.ts'), graph)
      work = imported(join(root, 'src/cli/commands/start/start.ts'), graph)
      owner = imported(join(root, 'src/compose/own-state.ts'), graph)
    }
    if (id === entry) return null
    if (door.has(id)) return 'door'
    if (frame.has(id)) return 'frame'
    if (work.has(id)) return 'work'
    return owner.has(id) ? 'owner' : null
  }
}

/** A module and all its static imports. */
function imported(entry: string, graph: Graph): Set<string> {
  const found = new Set([entry])
  for (const id of found) for (const one of graph.getModuleInfo(id)?.importedIds ?? []) found.add(one)
  return found
}

/** The licenses of all bundled packages, which must accompany every copy. */
async function licenses(): Promise<string> {
  const texts = [...packages].sort().map(async (folder) => {
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|notice)/i.test(name)).sort()
    const parts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return [`${manifest.name} ${manifest.version} (${manifest.license})`, ...parts].join('\n\n')
  })
  return `${(await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n`)}\n`
}
