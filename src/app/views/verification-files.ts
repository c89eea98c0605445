import { DrydockError } from '../../domain/drydock-error.ts'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { StoredFiles } from '../../workflow/stored/stored-files.ts'

/** The places that may have the files of verifications. */
export interface FilePlaces {
  /** The files on this machine; null if the state is elsewhere. */
  readonly artifacts: Pick<Artifacts, 'files' | 'readFile'> | null
  /** The files in the blob store; null if none is configured. */
  readonly storedFiles: Pick<StoredFiles, 'files' | 'read'> | null
}

export interface VerificationFiles {
  /** At least one file. Paths are relative to ARTIFACT_DIR. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  /** `here`: from this machine; `kept`: from the blob store. */
  readonly from: 'here' | 'kept'
  /** The content of one file. Throws DrydockError `not_found`, and the errors of Blobs. */
  read(path: string): Promise<AsyncIterable<Uint8Array>>
}

/**
 * The files that a verification has left. Throws DrydockError `not_found`, and the errors of Blobs.
 */
export async function findFiles({ artifacts, storedFiles }: FilePlaces, runId: string): Promise<VerificationFiles> {
  const here = (await artifacts?.files(runId)) ?? []
  const from = here.length > 0 ? 'here' : 'kept'
  const files = here.length > 0 ? here : ((await storedFiles?.files(runId)) ?? [])
  if (files.length === 0) {
    throw new DrydockError('not_found', `There are no files of the verification ${runId}.`, {
      todo: 'They are kept for at most 14 days, on the machine that made them and in the place that state.blobs names. The end of its log may still be there: drydock log <run_id>',
    })
  }
  return {
    files,
    from,
    async read(path) {
      const isOne = files.some((file) => file.path === path)
      const content = !isOne
        ? null
        : from === 'here'
          ? artifacts?.readFile(runId, path)
          : await storedFiles?.read(runId, path)
      if (content) return content
      throw new DrydockError('not_found', `The verification ${runId} has no file ${path}.`, {
        todo: 'List its files: drydock log <run_id> --files <folder> writes all of them.',
      })
    },
  }
}
