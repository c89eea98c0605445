import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type InputOptions, type ModuleInfo, type OutputBundle, type OutputOptions, rolldown } from 'rolldown'
import { readersVersion } from '../src/adapters/test-reports/readers-version.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** Folders of the packages whose code is in a bundle. */
const packages = new Set<string>()

/** Makes each chunk a function for `src/boot/chunks.ts`, where wrapping it would copy the text. */
const asFunctions = {
  name: 'as-functions',
  generateBundle(_options: unknown, files: OutputBundle): void {
    for (const file of Object.values(files))
      if (file.type === 'chunk')
        file.code = `(function (exports, require, __filename, __dirname) { 'use strict'; ${file.code}\n})`
  },
}

/**
 * The program. One file holds the code of every start, another the code of a task until its first
 * request, because each file costs time to find and open. Other chunks are loaded on first use.
 */
await bundle(
  'chunks',
  { main: 'src/cli/run-command-line.ts' },
  {
    format: 'cjs',
    plugins: [asFunctions],
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
