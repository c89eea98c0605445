import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { sessionOptionsSchema } from './session-options.ts'

const fileSchema = z.object({
  version: z.literal(1),
  runs: z.array(z.string()),
  options: sessionOptionsSchema,
  /** True if the user has removed it from the list. Its Runs stay. */
  deleted: z.boolean().default(false),
})

/** The stored part of a session: the Runs that were started in it, oldest first. */
export type StoredSession = Omit<z.output<typeof fileSchema>, 'version'>

/** The form of the ids of sessions, and of Runs that were started elsewhere. */
const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/** The sessions of one state, each in a file of its own. */
export function sessionFiles(state: string) {
  const folder = join(state, 'sessions')
  return {
    /** Null for a session that was never stored. */
    async read(id: string): Promise<StoredSession | null> {
      if (!idPattern.test(id)) return null
      const text = await readFile(join(folder, `${id}.json`), 'utf8').catch(() => null)
      if (text === null) return null
      const read = fileSchema.safeParse(parsedJson(text))
      return read.success ? read.data : null
    },
    async write(id: string, session: StoredSession): Promise<void> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(join(folder, `${id}.json`), JSON.stringify({ version: 1, ...session }), { mode: 0o600 })
    },
    async ids(): Promise<readonly string[]> {
      const names = await readdir(folder).catch(() => [])
      return names.flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
    },
  }
}

export type SessionFiles = ReturnType<typeof sessionFiles>
