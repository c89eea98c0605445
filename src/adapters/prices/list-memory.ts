import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'

/** The file that caches which models are in the price list. */
export interface ListMemory {
  readonly file: string
  /** Changes with the price list. */
  readonly edition: string
}

const kept = z.object({ edition: z.string(), models: z.record(z.string(), z.boolean()) })

/** More than a single user's models. */
const mostModels = 200

/** Caches each result, for this process and for the next one. */
export function rememberListed(
  memory: ListMemory | undefined,
  look: (model: string) => Promise<boolean>,
): (model: string) => Promise<boolean> {
  let known: Promise<Map<string, boolean>> | null = null
  return async (model) => {
    known ??= read(memory)
    const models = await known
    const before = models.get(model)
    if (before !== undefined) return before
    const isListed = await look(model)
    models.set(model, isListed)
    // If the file cannot be written, the next process looks again.
    if (memory !== undefined) await keep(memory, models).catch(() => undefined)
    return isListed
  }
}

async function read(memory: ListMemory | undefined): Promise<Map<string, boolean>> {
  if (memory === undefined) return new Map()
  const { data } = kept.safeParse(parsedJson(await readFile(memory.file, 'utf8').catch(() => '')))
  return new Map(data?.edition === memory.edition ? Object.entries(data.models) : [])
}

async function keep({ file, edition }: ListMemory, models: ReadonlyMap<string, boolean>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const listed = Object.fromEntries([...models].slice(-mostModels))
  await writeWhole(file, JSON.stringify({ edition, models: listed }), { mode: 0o600 })
}
