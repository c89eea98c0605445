import { open, readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import type { ExportCursor, Exported } from '../../ports/telemetry.ts'

const exported: z.ZodType<Exported> = z.object({
  event: z.int().min(0),
  owed: z.array(z.string()),
  rejected: z.int().min(0),
  problem: z.string().nullable(),
})

/**
 * A file of the state. It is whole at every moment: the new one is on the disk before it takes the
 * place of the old one. One that something else has harmed counts as none: no work ends for it.
 */
export function createExportCursor(file: string): ExportCursor {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : exportedIn(text)
    },
    async write(exported) {
      const next = `${file}.next`
      const handle = await open(next, 'w', 0o600)
      try {
        await handle.writeFile(`${JSON.stringify(exported)}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(next, file)
    },
  }
}

function exportedIn(text: string): Exported | null {
  try {
    return exported.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
