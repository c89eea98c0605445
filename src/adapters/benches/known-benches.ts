import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { Benches } from '../../ports/benches.ts'
import { readBenchFolder } from './bench-folder.ts'

const knownSchema = z.object({ folder: z.string() })

/** The file, beside the states of this installation, that lists the folders of its benches. */
const listIn = (stateRoot: string) => join(stateRoot, 'benches')

/**
 * Registers a bench with the dashboards of this installation. The bench's results stay in its
 * folder.
 */
export async function keepBench(stateRoot: string, folder: string): Promise<void> {
  const list = listIn(stateRoot)
  await mkdir(list, { recursive: true, mode: 0o700 })
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  const file = join(list, `${basename(folder).replaceAll(/[^\w.-]/g, '_')}-${hash}.json`)
  await writeWhole(file, `${JSON.stringify({ folder })}\n`, { mode: 0o600 })
}

/**
 * Reads benches while other processes work on them. A bench whose folder was removed is not listed.
 */
export function openBenches(stateRoot: string): Benches {
  const list = listIn(stateRoot)
  async function one(id: string) {
    const folder = isId.test(id) ? await folderIn(join(list, `${id}.json`)) : null
    return folder === null ? null : readBenchFolder(id, folder)
  }
  return {
    one,
    async list() {
      const names = (await readdir(list).catch(() => [])).filter((name) => name.endsWith('.json'))
      const benches = await Promise.all(names.map((name) => one(name.slice(0, -'.json'.length))))
      return benches.filter((bench) => bench !== null)
    },
  }
}

/** The names that `keepBench` makes, none of which is a path. */
const isId = /^[\w.-]+$/

async function folderIn(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return knownSchema.safeParse(parsedJson(text)).data?.folder ?? null
}
