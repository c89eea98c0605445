import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { limits } from '../../domain/limits.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { Artifacts, OutputOf } from '../../ports/artifacts.ts'
import { missingAsEmpty } from './missing-as-empty.ts'
import type { Places } from './places.ts'
import { removeFolder } from './remove-folder.ts'

/** Output of agents' commands, one file each. The folder is never mounted in a sandbox. */
export function createOutputs(
  { outputs }: Pick<Places, 'outputs'>,
  redact: Redact,
): Pick<Artifacts, 'keepOutput' | 'output' | 'outputRuns' | 'removeOutputs'> {
  return {
    async keepOutput(of, text) {
      const file = fileOf(outputs, of)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, redact(text), { mode: 0o600 })
      await removeOldest(dirname(file))
    },
    output: async (of) => readFile(fileOf(outputs, of), 'utf8').catch(nullIfMissing),
    outputRuns: () => readdir(outputs).catch(missingAsEmpty),
    removeOutputs: (run) => removeFolder(join(outputs, run)),
  }
}

/** Each lane has its own folder, whatever its id is; no name can lead out of it. */
function fileOf(outputs: string, { run, lane, name }: OutputOf): string {
  if (!/^\w[\w.-]*$/.test(run) || !/^[\w-]+$/.test(name)) throw new Error(`${run}, ${name}: no name of an output`)
  return join(outputs, run, createHash('sha256').update(lane).digest('hex').slice(0, 32), name)
}

async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).map((name) => join(folder, name))
  if (files.length <= limits.commandOutputs) return
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })))
  const oldest = dated.sort((a, b) => b.at - a.at).slice(limits.commandOutputs)
  for (const { file } of oldest) await rm(file, { force: true })
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}
