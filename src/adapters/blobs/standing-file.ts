import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { BlobStanding, BlobStandingFile } from '../../ports/blobs.ts'

const standingSchema: z.ZodType<BlobStanding> = z.object({
  space: z.uuid(),
  waiting: z.int().min(0),
  problem: z.string().nullable(),
  since: z.string().nullable(),
})

/** A file of the state, whole at every moment. One that something has harmed counts as none. */
export function createBlobStandingFile(file: string): BlobStandingFile {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch(() => null)
      if (text === null) return null
      try {
        return standingSchema.safeParse(JSON.parse(text)).data ?? null
      } catch {
        return null
      }
    },
    async write(standing) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const next = `${file}.next`
      const handle = await open(next, 'w', 0o600)
      try {
        await handle.writeFile(`${JSON.stringify(standing)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(next, file)
    },
  }
}
