import { open, readFile, rename } from 'node:fs/promises'
import type { ExportCursor, Exported } from '../../ports/telemetry.ts'

/**
 * A file of the state. It is whole at every moment: the new one is on the disk before it takes the
 * place of the old one.
 */
export function createExportCursor(file: string): ExportCursor {
  return {
    async read() {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      return text === null ? null : (JSON.parse(text) as Exported)
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
