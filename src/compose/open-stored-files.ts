import type { KeptBlobs } from '../ports/blobs.ts'
import type { StateReader } from '../ports/store.ts'
import type { StoredFiles } from '../workflow/stored/stored-files.ts'

/** The store for copies of files; null if none is configured. Loaded when it is first needed. */
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
