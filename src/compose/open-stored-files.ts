import type { KeptBlobs } from '../ports/blobs.ts'
import type { StateReader } from '../ports/store.ts'
import type { StoredFiles } from '../workflow/stored/stored-files.ts'

/** The files that are kept beside this machine; null for none. Loaded when they are asked for. */
export function openStoredFiles(
  blobs: KeptBlobs | null,
  { openRecords }: { readonly openRecords: () => StateReader },
): StoredFiles | null {
  if (blobs === null) return null
  const storedAt = async (runId: string) => {
    const records = openRecords()
    const found = records.machineOf('verification', runId)
    return (await found.finally(() => records.close()))?.data.stored ?? null
  }
  const files = async () =>
    (await import('../workflow/stored/stored-files.ts')).createStoredFiles({ blobs: blobs.store, storedAt })
  return {
    files: async (...given) => (await files()).files(...given),
    read: async (...given) => (await files()).read(...given),
    readLog: async (...given) => (await files()).readLog(...given),
  }
}
