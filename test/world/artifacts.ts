import { limits } from '../../src/domain/limits.ts'
import type { Redact } from '../../src/domain/secrets/redact.ts'
import type { Artifacts, Layer, LogFile, RunFolder } from '../../src/ports/artifacts.ts'
import { LayerRefused } from '../../src/ports/artifacts.ts'
import type { Disk } from './git.ts'
import { file, textOf } from './objects.ts'

/** ARTIFACT_DIR in memory; what steps write lies on the disk that sandboxes show. */
export function createMemoryArtifacts(folder: string, disk: Disk, redact: Redact): Artifacts {
  const outputs = new Map<string, Map<string, string>>()
  const lists = new Map<string, string>()
  const layers = new Map<string, Layer>()
  const turns = new Map<string, Promise<unknown>>()
  const at = (runId: string) => `${folder}/runs/${runId}`

  function log(take: (text: string) => void): LogFile {
    const chunks: Uint8Array[] = []
    let isOpen = true
    return {
      write: (chunk) => void chunks.push(Buffer.from(chunk)),
      close() {
        if (isOpen) take(redact(Buffer.concat(chunks).toString('utf8')))
        isOpen = false
      },
    }
  }

  function runFolder(id: string): RunFolder {
    const path = at(id)
    const files = new Map<string, ReturnType<typeof file>>()
    disk.set(path, files)
    const overlay = `${path}.overlay`
    disk.set(overlay, new Map())
    const names: string[] = []
    return {
      path,
      mounts: [{ path, access: 'write' }],
      overlay,
      openLog(name) {
        names.push(name)
        files.set(`logs/${name}`, file(''))
        return log((text) => void files.set(`logs/${name}`, file(text)))
      },
      async report(name, maxBytes) {
        if (!/^(logs|build|tmp)\//.test(name)) return null
        const entry = files.get(name)
        return entry === undefined || entry.bytes.length > maxBytes ? null : textOf(entry)
      },
      async forget(name) {
        for (const each of [...files.keys()]) if (each === name || each.startsWith(`${name}/`)) files.delete(each)
      },
      overlaid: async () => [
        ...new Set([...(disk.get(overlay)?.keys() ?? [])].map((each) => each.split('/')[0] ?? '')),
      ],
      async renewOverlay() {
        disk.set(overlay, new Map())
      },
      async discard() {
        disk.delete(path)
        disk.delete(overlay)
      },
      async finish(manifest) {
        for (const each of [...files.keys()]) if (/^(cache|tmp)\//.test(each)) files.delete(each)
        for (const [each, entry] of disk.get(overlay) ?? []) files.set(`build/overlay/${each}`, entry)
        disk.delete(overlay)
        files.set('manifest.json', file(`${redact(JSON.stringify(manifest, null, 2))}\n`))
        return [...new Set(['manifest.json', ...names.map((name) => `logs/${name}`), ...files.keys()])].sort()
      },
    }
  }

  const artifacts: Artifacts = {
    async openRun(runId) {
      await artifacts.removeRun(runId)
      return runFolder(runId)
    },
    openBeside: async (runId, name) => runFolder(`${runId}~${name}`),
    ofRepository: () => artifacts,
    async readLog(runId, path, maxBytes) {
      const entry = disk.get(at(runId))?.get(`logs/${path}`)
      if (entry === undefined) return { ok: false, reason: `There is no file logs/${path}` }
      if (entry.bytes.length <= maxBytes) return { ok: true, text: textOf(entry), skipped: null }
      const end = entry.bytes.subarray(entry.bytes.length - maxBytes)
      const from = end.indexOf('\n') + 1
      const before = entry.bytes.subarray(0, entry.bytes.length - maxBytes + from)
      return {
        ok: true,
        text: end.subarray(from).toString('utf8'),
        skipped: { bytes: before.length, lines: before.toString('latin1').split('\n').length - 1 },
      }
    },
    async keepOutput({ run, lane, name }, text) {
      const kept = outputs.get(run) ?? new Map<string, string>()
      outputs.set(run, kept)
      kept.delete(`${lane}\0${name}`)
      kept.set(`${lane}\0${name}`, redact(text))
      const own = [...kept.keys()].filter((key) => key.startsWith(`${lane}\0`))
      for (const key of own.slice(0, Math.max(0, own.length - limits.commandOutputs))) kept.delete(key)
    },
    output: async ({ run, lane, name }) => outputs.get(run)?.get(`${lane}\0${name}`) ?? null,
    outputRuns: async () => [...outputs.keys()],
    async removeOutputs(run) {
      outputs.delete(run)
    },
    testList: async (key) => lists.get(key) ?? null,
    async keepTestList(key, text) {
      lists.set(key, text)
    },
    alone<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
      const before = turns.get(name) ?? Promise.resolve()
      const own = before.then(() => {
        signal.throwIfAborted()
        return work()
      })
      turns.set(
        name,
        own.catch(() => undefined),
      )
      return own
    },
    layer: async (key) => layers.get(key) ?? null,
    async draftLayer(key) {
      const draft = `${folder}/cache/layers/.${key}.${turns.size}`
      const [upper, scratch] = [`${draft}/upper`, `${draft}/scratch`]
      for (const each of [upper, scratch]) disk.set(each, new Map())
      return {
        ...{ upper, scratch, log: log((text) => void disk.set(`${draft}/log`, new Map([['log', file(text)]]))) },
        async keep(wanted, { isOfStart }) {
          const made = disk.get(upper) ?? new Map()
          const missing = wanted.find(
            (path) => ![...made.keys()].some((each) => each === path || each.startsWith(`${path}/`)),
          )
          if (missing !== undefined) return { missing }
          const place = `${folder}/cache/layers/${key}/tree`
          disk.set(place, made)
          const layer = { key, folder: place, outputs: wanted, scratch: [], isOfStart }
          layers.set(key, layer)
          return layer
        },
        discard: async () => `${draft}/log`,
      }
    },
    packLayer() {
      throw new LayerRefused('it is in memory')
    },
    async unpackLayer() {
      throw new LayerRefused('it is in memory')
    },
    async files(runId) {
      const found = disk.get(at(runId))
      if (!found?.has('manifest.json')) return []
      return [...found]
        .filter(([path]) => /^(manifest\.json|logs\/|build\/)/.test(path))
        .map(([path, { bytes }]) => ({ path, bytes: bytes.length }))
    },
    async *readFile(runId, path) {
      const entry = disk.get(at(runId))?.get(path)
      if (entry === undefined) throw new Error(`${path} is none of them`)
      yield entry.bytes
    },
    runs: async () =>
      [
        ...new Set(
          [...disk.keys()].flatMap((path) =>
            path.startsWith(`${folder}/runs/`) ? [path.slice(folder.length + 6).replace(/[~.].*$/, '')] : [],
          ),
        ),
      ].sort(),
    async removeRun(runId) {
      for (const path of [...disk.keys()]) if (path === at(runId) || path.startsWith(`${at(runId)}~`)) disk.delete(path)
    },
    async removeUnfinished() {},
    trimCache: async () => 0,
  }
  return artifacts
}
