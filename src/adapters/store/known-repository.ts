import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'

const knownSchema = z.object({ repository: z.string() })

const fileIn = (state: string) => join(state, 'repository.json')

/** Records the repository of a state, since its path cannot be derived from the folder's name. */
export async function keepRepository(state: string, repository: string): Promise<void> {
  if ((await readRepository(state)) === repository) return
  await writeWhole(fileIn(state), `${JSON.stringify({ repository })}\n`, { mode: 0o600 })
}

/** Null for a state that only older versions have used. */
export async function readRepository(state: string): Promise<string | null> {
  const text = await readFile(fileIn(state), 'utf8').catch(() => '')
  return knownSchema.safeParse(parsedJson(text)).data?.repository ?? null
}

/** The folders of states with rows, by name. */
export async function stateFolders(root: string): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => [])
  const isState = (name: string) =>
    /-[0-9a-f]{12}$/.test(name) && ['drydock.db', 'postgres.json'].some((file) => existsSync(join(root, name, file)))
  return names.filter(isState).toSorted()
}
