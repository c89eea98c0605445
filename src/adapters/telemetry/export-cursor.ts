import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { parsedJson } from '../../domain/json.ts'
import { writeWhole } from '../../files/write-whole.ts'
import type { ExportCursor, ExportProgress } from '../../ports/telemetry.ts'

const exported: z.ZodType<ExportProgress> = z.object({
  event: z.int().min(0),
  owed: z.array(z.string()),
  rejected: z.int().min(0),
  problem: z.string().nullable(),
})

/**
 * A file of the state, written atomically: the new one is flushed before it replaces the old one. A
 * damaged file counts as missing, since telemetry must not stop any work.
 */
export function createExportCursor(file: string): ExportCursor {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : (exported.safeParse(parsedJson(text)).data ?? null)
    },
    async write(exported) {
      await writeWhole(file, `${JSON.stringify(exported)}\n`, { mode: 0o600, onDisk: true })
    },
  }
}
