import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import { createAlone } from './alone.ts'
import { createLayers } from './layers.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import { createOutputs } from './outputs.ts'
import type { Places } from './places.ts'
import { readInside } from './read-inside.ts'
import { listRunFiles, readRunFile } from './run-files.ts'
import { createRunFolder } from './run-folder.ts'
import { removeRunFolder } from './shown-folder.ts'
import { createTestLists } from './test-lists.ts'
import { removeUnfinished, trimCache } from './trim-cache.ts'

/**
 * ARTIFACT_DIR as a local folder, made when it is first needed. `redact` removes secrets from
 * everything that is written there.
 */
export function createArtifacts(folder: string, redact: Redact): Artifacts {
  const cache = join(folder, 'cache')
  const places: Places = {
    runs: join(folder, 'runs'),
    steps: join(folder, 'steps'),
    outputs: join(folder, 'outputs'),
    cache,
    layers: join(cache, 'layers'),
    tools: join(cache, 'tools'),
    tests: join(cache, 'tests'),
  }
  async function removeRun(runId: string): Promise<void> {
    const names = await readdir(places.runs).catch(missingAsEmpty)
    for (const name of names.filter((each) => runOf(each) === runId))
      await removeRunFolder(join(places.runs, name), places)
  }
  const folders = (at: Places): Pick<Artifacts, 'openRun' | 'openBeside'> => ({
    async openRun(runId, { ofBase }) {
      await removeRun(runId)
      return createRunFolder({ places: at, redact }, runId, ofBase)
    },
    openBeside: (runId, name) => createRunFolder({ places: at, redact }, `${runId}~${name}`, false),
  })
  const artifacts: Artifacts = {
    ...createLayers(places, redact),
    ...createTestLists(places),
    ...createOutputs(places, redact),
    alone: createAlone(),
    files: (runId) => listRunFiles(join(places.runs, runId)),
    readFile: (runId, path) => readRunFile(join(places.runs, runId), path),
    runs: () => runIds(places.runs),
    removeRun,
    removeUnfinished: () => removeUnfinished(cache),
    trimCache: (options) => trimCache(cache, options),
    ...folders(places),
    ofRepository(repository) {
      const name = createHash('sha256').update(repository).digest('hex').slice(0, 12)
      return { ...artifacts, ...folders({ ...places, tools: join(cache, `tools-${name}`) }) }
    },
    readLog: (runId, path, maxBytes) =>
      readInside(join(places.runs, runId), join('logs', path), { below: 'logs', maxBytes, countsLines: true }),
  }
  return artifacts
}

async function runIds(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(missingAsEmpty)
  return [...new Set(names.map(runOf))].sort()
}

/**
 * The `run_id` of the verification that a folder belongs to: `<id>`, the hidden `.<id>`, or
 * `<id>~<name>` beside it.
 */
function runOf(name: string): string {
  return name.replace(/^\./, '').replace(/~.*$/, '')
}
