import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { BlobStanding, BlobStandingFile } from '../../ports/blobs.ts'

const standingSchema: z.ZodType<BlobStanding> = z.object({
  space: z.uuid(),
  waiting: z.int().min(0),
  problem: z.string().nullable(),
  since: z.string().nullable(),
})

/** A file of the state, written atomically. A damaged file counts as missing. */
export function createBlobStandingFile(file: string): BlobStandingFile {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(() => null)
      return text === null ? null : (standingSchema.safeParse(parsedJson(text)).data ?? null)
    },
    async write(standing) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeWhole(file, `${JSON.stringify(standing)}\n`, { mode: 0o600, onDisk: true })
    },
  }
}
