import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join, normalize, resolve } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Installation } from '../installation.ts'
import type { StateAccess } from '../state-access.ts'
import { findFiles, type VerificationFiles } from '../views/verification-files.ts'

export interface ExportedFiles {
  /** Paths relative to the folder. */
  readonly files: readonly string[]
  /** `kept` at a hub, since the logs are not on this machine. */
  readonly from: VerificationFiles['from']
}

/**
 * Writes the files of a verification into a folder that contains none of them yet. Throws
 * DrydockError `not_found`, `bad_usage`, and the errors of Blobs.
 */
export async function exportFiles(
  drydock: Pick<Installation, 'openArtifacts' | 'storedFiles'> & Pick<StateAccess, 'atHub'>,
  { runId, folder }: { readonly runId: string; readonly folder: string },
): Promise<ExportedFiles> {
  const artifacts = drydock.atHub === null ? drydock.openArtifacts() : null
  const { files, from, read } = await findFiles({ artifacts, storedFiles: drydock.storedFiles }, runId)
  const top = resolve(folder)
  const made: string[] = []
  try {
    for (const { path } of files) await writeNew({ top, path, made, read })
  } catch (error) {
    // Removes partial files, so that the command can be repeated and nobody takes half a file for a
    // whole one.
    for (const file of made) await rm(file, { force: true })
    throw error
  }
  return { files: files.map(({ path }) => path), from }
}

interface Writing extends Pick<VerificationFiles, 'read'> {
  readonly top: string
  readonly path: string
  /** Collects the path of each file that this call has created. */
  readonly made: string[]
}

async function writeNew({ top, path, made, read }: Writing): Promise<void> {
  const below = normalize(path)
  if (below.startsWith('/') || below.split('/')[0] === '..') throw new Error(`${path} is no path of an artifact`)
  const to = join(top, below)
  await mkdir(dirname(to), { recursive: true })
  const file = await open(to, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new DrydockError('bad_usage', `${to} is there already.`, { todo: 'Name an empty or a new folder.' })
  })
  made.push(to)
  try {
    for await (const chunk of await read(path)) await file.write(chunk)
  } finally {
    await file.close()
  }
}
