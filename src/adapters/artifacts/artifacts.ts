import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Artifacts } from '../../ports/artifacts.ts'
import { createLayers } from './layers.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import type { Places } from './places.ts'
import { removeFolder } from './remove-folder.ts'
import { createRunFolder } from './run-folder.ts'
import { removeUnfinished, trimCache } from './trim-cache.ts'

/** ARTIFACT_DIR as a folder of this machine, which is made when needed. */
export function createArtifacts(folder: string): Artifacts {
  const cache = join(folder, 'cache')
  const places: Places = {
    runs: join(folder, 'runs'),
    cache,
    layers: join(cache, 'layers'),
    tools: join(cache, 'tools'),
  }
  return {
    ...createLayers(places),
    runs: () => runIds(places.runs),
    async removeRun(runId) {
      for (const name of [runId, `.${runId}`]) await removeFolder(join(places.runs, name))
    },
    removeUnfinished: () => removeUnfinished(cache),
    trimCache: (options) => trimCache(cache, options),
    openRun: (runId, { ofBase }) => createRunFolder(places, runId, ofBase),
    readLog: (runId, path, maxBytes) => readLog(join(places.runs, runId), path, maxBytes),
  }
}

async function runIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(missingAsEmpty)
  return [...new Set(names.map((name) => name.replace(/^\./, '')))].sort()
}

/** No link that a step has left there is followed. */
async function readLog(run: string, path: string, maxBytes: number): ReturnType<Artifacts['readLog']> {
  const folder = await realpath(run).catch(() => run)
  const real = await realpath(join(folder, 'logs', path)).catch(() => null)
  if (real === null) return { ok: false, reason: 'does not exist' }
  if (!real.startsWith(`${folder}${sep}logs${sep}`)) return { ok: false, reason: 'leads out of the logs' }
  // Opening a pipe that a step has left would otherwise wait for a writer.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return { ok: false, reason: 'cannot be read' }
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return { ok: false, reason: 'is not a file' }
    const size = Math.min(stats.size, maxBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, stats.size - size)
    return { ok: true, text: buffer.subarray(0, bytesRead).toString('utf8') }
  } finally {
    await handle.close()
  }
}
