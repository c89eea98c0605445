import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { Artifacts, Layer, LayerDraft } from '../../ports/artifacts.ts'
import { systemPath } from '../../processes/host-path.ts'
import { mustRun } from '../../processes/run-program.ts'
import { discard } from './discard.ts'
import { openLogFile } from './log-file.ts'
import type { Places } from './places.ts'
import { removeFolder } from './remove-folder.ts'

/** Folders below `node_modules` that tools write to while they run. */
const scratchFolders = ['.cache', '.vite', '.vite-temp', '.vitest-cache']

/** The most entries of a folder that are kept, since each one needs a mount of its own. */
const mostLeft = 50

/**
 * `layers/<key>/` holds `tree/` and `layer.json`; the time of `layer.json` is the layer's last use.
 */
export function createLayers(
  { layers }: Places,
  redact: Redact,
): Pick<Artifacts, 'layer' | 'draftLayer' | 'packLayer' | 'unpackLayer'> {
  const place = (key: string) => join(layers, key)
  const placeOfDraft = (key: string) => join(layers, `.${key}.${randomBytes(6).toString('hex')}`)

  async function layer(key: string): Promise<Layer | null> {
    const file = join(place(key), 'layer.json')
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null) return null
    const now = new Date()
    await utimes(file, now, now)
    // Layers made by older versions do not say which commit they belong to.
    const { isOfStart = false, ...kept } = JSON.parse(text) as Partial<LayerRecord> & Omit<LayerRecord, 'isOfStart'>
    return { key, folder: join(place(key), 'tree'), ...kept, isOfStart }
  }

  /**
   * Renames the folder `made`, which holds a `tree`, to its key, unless a layer of that key exists.
   */
  async function putInPlace(key: string, made: string, kept: LayerRecord): Promise<Layer> {
    await writeFile(join(made, 'layer.json'), `${JSON.stringify(kept)}\n`)
    // A layer is trusted as long as it exists, so its files must be on disk before it gets its
    // name.
    await mustRun('sync', ['-f', made], { env: { PATH: systemPath } })
    // Half a layer, left by a killed process, is discarded; a whole one made in the meantime stays.
    if ((await layer(key)) === null) await discard(place(key)).catch(unlessMissing)
    await rename(made, place(key)).catch(unlessThere)
    const found = await layer(key)
    if (found === null) throw new Error(`layer ${key} was made and is gone`)
    return found
  }

  async function draftLayer(key: string): Promise<LayerDraft> {
    const draft = placeOfDraft(key)
    const upper = join(draft, 'upper')
    const log = join(draft, 'log')
    const scratch = join(draft, 'scratch')
    for (const folder of [upper, scratch]) await mkdir(folder, { recursive: true })
    return {
      upper,
      scratch,
      log: openLogFile(log, redact),
      async keep(named, { isOfStart }) {
        const made = join(draft, 'layer')
        // Other machines get only the outputs that the configuration names.
        const outputs = isOfStart ? named : [...named, ...(await furtherModules(upper, named))]
        for (const output of outputs) {
          if (!(await isFolder(upper, output))) return { missing: output }
          const to = join(made, 'tree', output)
          await mkdir(dirname(to), { recursive: true })
          // A folder without write permission cannot be moved either.
          await chmod(join(upper, output), 0o755)
          await rename(join(upper, output), to)
        }
        const written = await makeScratch(join(made, 'tree'), outputs)
        await rename(log, join(made, 'log'))
        const found = await putInPlace(key, made, { outputs, ...written, isOfStart })
        await removeFolder(draft)
        return found
      },
      async discard() {
        const kept = join(layers, `${key}.log`)
        await rm(kept, { force: true })
        // The log has already moved with the layer if only the last steps failed.
        await rename(log, kept).catch(unlessMissing)
        await removeFolder(draft)
        return kept
      },
    }
  }

  return {
    layer,
    draftLayer,
    async *packLayer(packed) {
      yield* (await import('./packed/pack-layer.ts')).packLayer(packed)
    },
    async unpackLayer({ key, outputs }, content, signal) {
      const draft = placeOfDraft(key)
      const made = join(draft, 'layer')
      const tree = join(made, 'tree')
      try {
        for (const output of outputs) await mkdir(dirname(join(tree, output)), { recursive: true })
        await (await import('./packed/unpack-layer.ts')).unpackLayer(content, { tree, outputs }, { signal })
        const written = await makeScratch(tree, outputs)
        return await putInPlace(key, made, { outputs, ...written, isOfStart: true })
      } finally {
        await removeFolder(draft)
      }
    },
  }
}

/**
 * Package folders beside the named ones: a change may add a package to a workspace, which the
 * configuration of its base cannot name.
 */
async function furtherModules(upper: string, named: readonly string[]): Promise<readonly string[]> {
  if (!named.some((path) => basename(path) === 'node_modules')) return []
  const found: string[] = []
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(upper, folder), { withFileTypes: true }).catch(unlessUnreadable)) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory() || named.includes(path)) continue
      if (entry.name === 'node_modules') found.push(path)
      else await look(path)
    }
  }
  await look('')
  return found
}

type LayerRecord = Pick<Layer, 'outputs' | 'scratch' | 'filled' | 'isOfStart'>

/** True for a folder below `root` that is reached without links. */
async function isFolder(root: string, path: string): Promise<boolean> {
  const parts = path.split('/')
  for (let length = 1; length <= parts.length; length += 1) {
    const stats = await lstat(join(root, ...parts.slice(0, length))).catch(() => null)
    if (!stats?.isDirectory()) return false
  }
  return true
}

async function makeScratch(tree: string, outputs: readonly string[]): Promise<Pick<Layer, 'scratch' | 'filled'>> {
  const scratch: string[] = []
  const filled: string[] = []
  for (const output of outputs.filter((path) => basename(path) === 'node_modules')) {
    for (const name of scratchFolders) {
      const path = join(output, name)
      const isNew = await mkdir(join(tree, path)).then(
        () => true,
        () => false,
      )
      const left = isNew ? [] : await leftIn(tree, path)
      if (left?.length === 0) scratch.push(path)
      else filled.push(...(left ?? []))
    }
  }
  return { scratch, ...(filled.length > 0 && { filled }) }
}

/** The paths in a folder; null if it has links, which may lead anywhere, or too many entries. */
async function leftIn(tree: string, path: string): Promise<readonly string[] | null> {
  if (!(await isFolder(tree, path))) return null
  const entries = await readdir(join(tree, path), { withFileTypes: true }).catch(unlessUnreadable)
  const isPlain = entries.every((entry) => entry.isDirectory() || entry.isFile())
  return isPlain && entries.length <= mostLeft ? entries.map(({ name }) => join(path, name)) : null
}

/**
 * Steps can close a folder, or nest it deeper than a path may be long; such a folder counts as
 * empty.
 */
function unlessUnreadable(error: NodeJS.ErrnoException): readonly [] {
  if (['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(`${error.code}`)) return []
  throw error
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

/** Another process has made the same layer in the meantime, which is fine. */
function unlessThere(error: unknown): void {
  if (error instanceof Error && 'code' in error && ['EEXIST', 'ENOTEMPTY'].includes(`${error.code}`)) return
  throw error
}
