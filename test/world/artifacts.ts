import { createHash, randomBytes } from 'node:crypto'
import { basename, posix } from 'node:path'
import { createAlone } from '../../src/adapters/artifacts/alone.ts'
import { createLog } from '../../src/adapters/artifacts/log-file.ts'
import { limits } from '../../src/domain/limits.ts'
import type { Redact } from '../../src/domain/secrets/redact.ts'
import type { Artifacts, Layer, LogFile, OutputOf, RunFolder } from '../../src/ports/artifacts.ts'
import { LayerRefused } from '../../src/ports/artifacts.ts'
import type { Mount } from '../../src/ports/sandbox.ts'
import type { Disk, Work } from './git.ts'
import { file, textOf } from './objects.ts'

/** Folders that tools write in `node_modules` while they run. */
const scratchFolders = ['.cache', '.vite', '.vite-temp', '.vitest-cache']

/** The last use of each entry in the caches of a disk, in milliseconds since 1970. */
const usedOf = new WeakMap<Disk, Map<string, number>>()

/**
 * ARTIFACT_DIR on the disk of a world. The disk holds everything, so that other artifacts on the
 * same disk act as the next process. A folder only exists while it contains a file.
 */
export function createMemoryArtifacts(
  folder: string,
  disk: Disk,
  redact: Redact,
  now: () => Date = () => new Date(),
): Artifacts {
  const [runs, outputs, cache] = [`${folder}/runs`, `${folder}/outputs`, `${folder}/cache`]
  const [layers, tests] = [`${cache}/layers`, `${cache}/tests`]
  const used = usedOf.get(disk) ?? new Map<string, number>()
  usedOf.set(disk, used)
  const passingLists = new Map<string, string>()

  /** The files of a folder on the disk, which is created if it is missing. */
  function work(path: string): Work {
    const found = disk.get(path) ?? new Map()
    disk.set(path, found)
    return found
  }
  const below = (path: string) => [...disk.keys()].filter((each) => each === path || each.startsWith(`${path}/`))
  function remove(path: string): void {
    for (const each of below(path)) disk.delete(each)
  }
  const namesIn = (path: string) =>
    new Set(below(path).flatMap((each) => (each === path ? [] : [each.slice(path.length + 1).split('/')[0] ?? ''])))
  const use = (path: string) => void used.set(path, now().getTime())

  function removeIn(files: Work, path: string): void {
    for (const each of [...files.keys()]) if (each === path || each.startsWith(`${path}/`)) files.delete(each)
  }

  function openLog(keep: (bytes: Buffer) => void): LogFile {
    const chunks: Buffer[] = []
    const place = {
      write: (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)),
      close: () => keep(Buffer.concat(chunks)),
    }
    return createLog(place, redact)
  }

  const currentTools = (tools: string) => Math.max(0, ...[...namesIn(tools)].map(Number))

  function cacheMount(tools: string, { at, upper, ofBase }: { at: string; upper: string; ofBase: boolean }): Mount {
    const current = currentTools(tools)
    if (current === 0) return { path: at, access: 'write' }
    const kept = `${tools}/${current}`
    use(kept)
    if (!ofBase) return { at, access: 'overlay', lower: [kept], upper }
    for (const [path, entry] of work(kept)) work(posix.dirname(at)).set(`cache/${path}`, entry)
    return { path: at, access: 'write' }
  }

  function runFolder(id: string, { tools, ofBase }: { readonly tools: string; readonly ofBase: boolean }): RunFolder {
    const [path, own] = [`${runs}/${id}`, `${runs}/.${id}`]
    remove(path)
    remove(own)
    const files = work(path)
    const logs = new Map<string, Buffer>()
    const overlay = `${own}/overlay`
    for (const each of [overlay, `${own}/cache`]) work(each)
    const cacheView = cacheMount(tools, { at: `${path}/cache`, upper: `${own}/cache`, ofBase })
    const filesBelow = (top: string) => [...files.entries()].filter(([each]) => each.startsWith(`${top}/`))
    return {
      path,
      mounts: [
        { path, access: 'read' },
        ...['logs', 'build', 'tmp'].map((name): Mount => ({ path: `${path}/${name}`, access: 'write' })),
        cacheView,
      ],
      overlay,
      async lay(files) {
        const folder = `${own}/laid-${disk.size}`
        const laid = work(folder)
        for (const [name, bytes] of files) laid.set(name, file(bytes))
        return folder
      },
      openLog(name) {
        const before = logs.get(name) ?? Buffer.alloc(0)
        logs.set(name, before)
        return openLog((bytes) => void logs.set(name, Buffer.concat([before, bytes])))
      },
      async report(name, maxBytes) {
        const place = posix.normalize(name)
        const entry = /^(logs|build|tmp)\//.test(place) ? files.get(place) : undefined
        return entry === undefined || entry.mode === '120000' || entry.bytes.length > maxBytes ? null : textOf(entry)
      },
      async forget(name) {
        const place = posix.normalize(name)
        if (/^(logs|build|tmp)\/./.test(place)) removeIn(files, place)
      },
      overlaid: async () => [
        ...new Set([...(disk.get(overlay)?.keys() ?? [])].map((each) => each.split('/')[0] ?? '')),
      ],
      async written({ isWanted, most }) {
        const all = [...(disk.get(overlay)?.keys() ?? [])].toSorted()
        return { paths: all.slice(0, most).filter(isWanted), isWhole: all.length <= most }
      },
      async foldersLeft(paths) {
        const written = [...(disk.get(overlay)?.keys() ?? [])]
        return paths.filter((path) => {
          const [top = ''] = path.split('/')
          return !written.some((each) => each === top || each.startsWith(`${top}/`)) || written.includes(path)
        })
      },
      async renewOverlay() {
        disk.set(overlay, new Map())
      },
      async discard() {
        remove(path)
        remove(own)
      },
      async finish(manifest) {
        const written = disk.get(overlay)
        if (written === undefined) throw new Error(`${id} is finished`)
        for (const [name, entry] of filesBelow('logs'))
          files.set(name, { ...entry, bytes: Buffer.from(redact(entry.bytes.toString('latin1')), 'latin1') })
        for (const [name, bytes] of logs) {
          removeIn(files, `logs/${name}`)
          files.set(`logs/${name}`, file(bytes))
        }
        if (written.size > 0) removeIn(files, 'build/overlay')
        for (const [name, entry] of written) files.set(`build/overlay/${name}`, entry)
        const made = filesBelow('cache')
        if (ofBase && manifest.status === 'PASS' && made.length > 0) {
          const current = currentTools(tools)
          disk.set(
            `${tools}/${current + 1}`,
            new Map(made.map(([name, entry]) => [name.slice('cache/'.length), entry])),
          )
          use(`${tools}/${current + 1}`)
          for (const old of namesIn(tools)) if (Number(old) < current) remove(`${tools}/${old}`)
        }
        remove(own)
        for (const top of ['cache', 'tmp']) for (const [name] of filesBelow(top)) files.delete(name)
        files.set('manifest.json', file(`${redact(JSON.stringify(manifest, null, 2))}\n`))
        return ['manifest.json', ...[...filesBelow('logs'), ...filesBelow('build')].map(([name]) => name)].sort()
      },
    }
  }

  async function layer(key: string): Promise<Layer | null> {
    const place = `${layers}/${key}`
    const about = disk.get(place)?.get('layer.json')
    if (about === undefined) return null
    use(place)
    return { key, folder: `${place}/tree`, ...JSON.parse(textOf(about)) }
  }

  /** Stores the files of a layer under its key, unless that exists already. */
  async function putLayer(key: string, tree: Work, about: Pick<Layer, 'outputs' | 'isOfStart'>): Promise<Layer> {
    const { outputs, isOfStart } = about
    const places = outputs
      .filter((path) => basename(path) === 'node_modules')
      .flatMap((path) => scratchFolders.map((name) => `${path}/${name}`))
    const scratch = places.filter((path) => !holds(tree, path))
    const left = places.flatMap((path) =>
      [...tree.keys()].flatMap((each) =>
        each.startsWith(`${path}/`) ? `${path}/${each.slice(path.length + 1).split('/')[0]}` : [],
      ),
    )
    const filled = left.length > 0 && { filled: [...new Set(left)] }
    if ((await layer(key)) === null) {
      const files = [...tree].map(([path, entry]) => [`tree/${path}`, entry] as const)
      disk.set(
        `${layers}/${key}`,
        new Map([['layer.json', file(JSON.stringify({ outputs, scratch, ...filled, isOfStart }))], ...files]),
      )
    }
    return (await layer(key)) as Layer
  }

  const outputsOf = ({ run, name }: OutputOf): Work => {
    if (!/^\w[\w.-]*$/.test(run) || !/^[\w-]+$/.test(name)) throw new Error(`${run}, ${name}: no name of an output`)
    return work(`${outputs}/${run}`)
  }

  function removeRun(runId: string): void {
    for (const name of namesIn(runs)) if (runOf(name) === runId) remove(`${runs}/${name}`)
  }

  const folders = (tools: string): Pick<Artifacts, 'openRun' | 'openBeside'> => ({
    async openRun(runId, { ofBase }) {
      removeRun(runId)
      return runFolder(runId, { tools, ofBase })
    },
    openBeside: async (runId, name) => runFolder(`${runId}~${name}`, { tools, ofBase: false }),
  })

  const artifacts: Artifacts = {
    ...folders(`${cache}/tools`),
    ofRepository(repository) {
      const name = createHash('sha256').update(repository).digest('hex').slice(0, 12)
      return { ...artifacts, ...folders(`${cache}/tools-${name}`) }
    },
    async readLog(runId, path, maxBytes) {
      const files = disk.get(`${runs}/${runId}`) ?? new Map()
      const place = posix.join('logs', path)
      const entry = files.get(place)
      if (entry === undefined && !holds(files, place)) return { ok: false, reason: 'does not exist' }
      if (!place.startsWith('logs/')) return { ok: false, reason: 'leads out of logs' }
      if (entry === undefined) return { ok: false, reason: 'is not a file' }
      const start = Math.max(0, entry.bytes.length - maxBytes)
      if (start === 0) return { ok: true, text: textOf(entry), skipped: null }
      // The partial first line is not shown.
      const first = entry.bytes.indexOf('\n', start) + 1
      const from = first === 0 ? start : first
      const lines = entry.bytes.subarray(0, from).toString('latin1').split('\n').length - 1
      return { ok: true, text: entry.bytes.subarray(from).toString('utf8'), skipped: { bytes: from, lines } }
    },
    async keepOutput(of, text) {
      const kept = outputsOf(of)
      const lane = `${of.lane}\0`
      kept.delete(lane + of.name)
      kept.set(lane + of.name, file(redact(text)))
      const own = [...kept.keys()].filter((name) => name.startsWith(lane))
      for (const name of own.slice(0, Math.max(0, own.length - limits.commandOutputs))) kept.delete(name)
    },
    async output(of) {
      const found = outputsOf(of).get(`${of.lane}\0${of.name}`)
      return found === undefined ? null : textOf(found)
    },
    outputRuns: async () => [...namesIn(outputs)].filter((run) => work(`${outputs}/${run}`).size > 0),
    removeOutputs: async (run) => remove(`${outputs}/${run}`),
    async testList(key) {
      const kept = work(tests).get(`${key}.json`)
      if (kept !== undefined) use(`${tests}/${key}.json`)
      return passingLists.get(key) ?? (kept === undefined ? null : textOf(kept))
    },
    async keepTestList(key, text, { forGood }) {
      if (!forGood) passingLists.set(key, text)
      else {
        passingLists.delete(key)
        work(tests).set(`${key}.json`, file(text))
        use(`${tests}/${key}.json`)
      }
    },
    alone: createAlone(),
    layer,
    async draftLayer(key) {
      const draft = `${layers}/.${key}.${randomBytes(6).toString('hex')}`
      const [upper, scratch] = [`${draft}/upper`, `${draft}/scratch`]
      for (const each of [draft, upper, scratch]) work(each)
      return {
        upper,
        scratch,
        log: openLog((bytes) => void work(draft).set('log', file(bytes))),
        async keep(wanted, { isOfStart }) {
          const made = work(upper)
          const missing = wanted.find((path) => !holds(made, path))
          if (missing !== undefined) return { missing }
          const tree = new Map([...made].filter(([path]) => wanted.some((each) => path.startsWith(`${each}/`))))
          const found = await putLayer(key, tree, { outputs: wanted, isOfStart })
          remove(draft)
          return found
        },
        async discard() {
          const log = disk.get(draft)?.get('log')
          work(layers).delete(`${key}.log`)
          if (log !== undefined) work(layers).set(`${key}.log`, log)
          remove(draft)
          return `${layers}/${key}.log`
        },
      }
    },
    async *packLayer({ key, scratch }) {
      const found = [...(disk.get(`${layers}/${key}`) ?? [])]
        .filter(([path]) => path.startsWith('tree/'))
        .map(
          ([path, { mode, bytes }]) => [path.slice('tree/'.length), { mode, bytes: bytes.toString('base64') }] as const,
        )
        .filter(([path]) => !scratch.some((each) => path.startsWith(`${each}/`)))
        .sort(([a], [b]) => (a < b ? -1 : 1))
      yield Buffer.from(`${heading}${JSON.stringify(found)}`)
    },
    async unpackLayer({ key, outputs: wanted }, content, signal) {
      const chunks: Uint8Array[] = []
      for await (const chunk of content) {
        signal.throwIfAborted()
        chunks.push(chunk)
      }
      signal.throwIfAborted()
      const tree: Work = new Map()
      for (const [path, { mode, bytes }] of unpacked(Buffer.concat(chunks).toString('utf8')))
        tree.set(path, { mode, bytes: Buffer.from(bytes, 'base64') })
      const missing = wanted.find((path) => !holds(tree, path))
      if (missing !== undefined) throw new LayerRefused(`${missing} is not in it`)
      return putLayer(key, tree, { outputs: wanted, isOfStart: true })
    },
    async files(runId) {
      const found = disk.get(`${runs}/${runId}`)
      const manifest = found?.get('manifest.json')
      if (found === undefined || manifest === undefined) return []
      const filesBelow = (top: string) =>
        [...found]
          .filter(([path, { mode }]) => path.startsWith(`${top}/`) && mode !== '120000')
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limits.blobs.files)
      return [['manifest.json', manifest] as const, ...filesBelow('logs'), ...filesBelow('build')].map(
        ([path, { bytes }]) => ({ path, bytes: bytes.length }),
      )
    },
    async *readFile(runId, path) {
      const entry = disk.get(`${runs}/${runId}`)?.get(path)
      if (entry === undefined || entry.mode === '120000') throw new Error(`${path} is not a file`)
      yield entry.bytes
    },
    runs: async () => [...new Set([...namesIn(runs)].map(runOf))].sort(),
    removeRun: async (runId) => removeRun(runId),
    async removeUnfinished() {
      for (const kind of namesIn(cache))
        for (const name of namesIn(`${cache}/${kind}`)) if (name.startsWith('.')) remove(`${cache}/${kind}/${name}`)
    },
    async trimCache({ maxBytes, keep, unusedSince }) {
      const sizeOf = (files: Iterable<{ readonly bytes: Buffer }>) =>
        [...files].reduce((sum, { bytes }) => sum + bytes.length, 0)
      const entries = [...namesIn(cache)].flatMap((kind) => {
        const top = `${cache}/${kind}`
        const kept = [...namesIn(top)].map((name) => ({
          name,
          bytes: sizeOf(below(`${top}/${name}`).flatMap((each) => [...work(each).values()])),
          discard: () => remove(`${top}/${name}`),
        }))
        const single = [...(disk.get(top) ?? [])].map(([name, entry]) => ({
          name,
          bytes: entry.bytes.length,
          discard: () => void work(top).delete(name),
        }))
        return [...kept, ...single].map((each) => ({ ...each, usedAt: used.get(`${top}/${each.name}`) ?? 0 }))
      })
      const finished = entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => a.usedAt - b.usedAt)
      let left = finished.reduce((sum, { bytes }) => sum + bytes, 0)
      let freed = 0
      for (const { name, bytes, usedAt, discard } of finished) {
        if (left <= maxBytes) break
        if (keep.has(name) || usedAt >= unusedSince.getTime()) continue
        discard()
        left -= bytes
        freed += bytes
      }
      return freed
    },
  }
  return artifacts
}

const heading = 'memory layer '

function unpacked(
  text: string,
): readonly (readonly [string, { mode: '100644' | '100755' | '120000'; bytes: string }])[] {
  try {
    if (text.startsWith(heading)) return JSON.parse(text.slice(heading.length))
  } catch {
    throw new LayerRefused('it is not whole')
  }
  throw new LayerRefused('it does not begin like one')
}

/** True if a folder with that path exists. */
function holds(files: Work, path: string): boolean {
  return [...files.keys()].some((each) => each.startsWith(`${path}/`)) || path === '.'
}

/** The verification of a folder: its own, its hidden one, or one beside it. */
function runOf(name: string): string {
  return name.replace(/^\./, '').replace(/~.*$/, '')
}
