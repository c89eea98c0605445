import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { type FileIndex, partsOfEnd, type StoredAt, type StoredFile } from '../../domain/verification/stored-files.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { BlobStore, Blobs } from '../../ports/blobs.ts'
import { linesIn } from './store-files.ts'

export type EndOfLog = Awaited<ReturnType<Artifacts['readLog']>>

/**
 * The files of verifications that this machine no longer has, or never had. All methods reject with
 * the DrydockErrors of Blobs.
 */
export interface StoredFiles {
  /** Null if none are stored. */
  files(runId: string): Promise<readonly Pick<StoredFile, 'path' | 'bytes'>[] | null>
  /** A whole file in pieces; null if it is not stored. `path` is relative to ARTIFACT_DIR. */
  read(runId: string, path: string): Promise<AsyncIterable<Uint8Array> | null>
  /** Behaves like Artifacts.readLog, and never rejects. */
  readLog(runId: string, path: string, maxBytes: number): Promise<EndOfLog>
}

interface Sources {
  readonly blobs: BlobStore
  /** The storage fields in the row of a verification. */
  readonly storedAt: (runId: string) => Promise<StoredAt | null>
}

const indexSchema: z.ZodType<FileIndex> = z.object({
  version: z.literal(1),
  files: z.array(
    z.object({
      path: z.string(),
      bytes: z.number(),
      parts: z.array(z.object({ digest: z.string(), bytes: z.number(), lines: z.number() })),
    }),
  ),
  left_out: z.number(),
})

export function createStoredFiles({ blobs, storedAt }: Sources): StoredFiles {
  /**
   * Caches one index, since the files of a verification are read one after the other. An index is
   * named by its digest.
   */
  let last: { readonly digest: string; readonly files: FileIndex['files'] } | null = null

  async function open(runId: string) {
    const stored = await storedAt(runId)
    if (stored === null) return null
    const own = blobs.at({ space: stored.space, name: runId })
    if (last?.digest !== stored.index) {
      const index = await own.get(stored.index, null, soon())
      if (index === null) return null
      const { files } = indexSchema.parse(JSON.parse(Buffer.from(index).toString('utf8')))
      last = { digest: stored.index, files }
    }
    return { own, files: last.files }
  }

  return {
    async files(runId) {
      return (await open(runId))?.files ?? null
    },
    async read(runId, path) {
      const found = await open(runId)
      const file = found?.files.find((each) => each.path === path)
      if (!found || file === undefined) return null
      const { own } = found
      return (async function* () {
        for (const { digest } of file.parts) yield await mustGet(own, digest)
      })()
    },
    async readLog(runId, path, maxBytes) {
      try {
        const found = await open(runId)
        const file = found?.files.find((each) => each.path === `logs/${path}`)
        if (!found || file === undefined) return { ok: false, reason: 'does not exist' }
        return await endOf(found.own, { file, maxBytes })
      } catch (error) {
        return { ok: false, reason: `is not on this machine, and could not be read elsewhere: ${whyOf(error)}` }
      }
    },
  }
}

interface Ending {
  readonly file: StoredFile
  readonly maxBytes: number
}

/** Reads the end of a stored log, from the start of a line, as for a local file. */
async function endOf(own: Blobs, { file, maxBytes }: Ending): Promise<EndOfLog> {
  const { parts, cut, before } = partsOfEnd(file, maxBytes)
  const pieces: Uint8Array[] = []
  for (const { digest } of parts) pieces.push(await mustGet(own, digest))
  const whole = Buffer.concat(pieces)
  if (before.bytes + cut === 0) return { ok: true, text: whole.toString('utf8'), skipped: null }
  const first = cut + whole.subarray(cut).indexOf(0x0a) + 1
  const skipped = { bytes: before.bytes + first, lines: before.lines + linesIn(whole.subarray(0, first)) }
  return { ok: true, text: whole.subarray(first).toString('utf8'), skipped }
}

/** A short timeout, since a person waits. */
const soon = () => AbortSignal.timeout(limits.blobs.readMs)

async function mustGet(own: Blobs, digest: string): Promise<Uint8Array> {
  const found = await own.get(digest, null, soon())
  if (found !== null) return found
  throw new DrydockError('blob_damaged', `The blob ${digest.slice(0, 12)} of a kept file is gone.`, {
    todo: 'Restore the bucket or folder from a copy.',
  })
}

function whyOf(error: unknown): string {
  if (error instanceof DrydockError) return error.message
  if (error instanceof Error && error.name === 'TimeoutError') return 'it took too long.'
  throw error
}
