import { mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join, normalize, resolve } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Drydock } from '../drydock.ts'
import { findFiles, type VerificationFiles } from '../views/verification-files.ts'

export interface ExportedFiles {
  /** Their paths below the folder. */
  readonly files: readonly string[]
  /** At a hub, they are `kept`. */
  readonly from: VerificationFiles['from']
}

/**
 * Writes the files of a verification into a folder, in which none of them may be there.
 * DrydockError `not_found`, `bad_usage`, and those of Blobs.
 */
export async function exportFiles(
  drydock: Drydock,
  { runId, folder }: { readonly runId: string; readonly folder: string },
): Promise<ExportedFiles> {
  const artifacts = drydock.atHub === null ? drydock.openArtifacts() : null
  const { files, from, read } = await findFiles({ artifacts, storedFiles: drydock.storedFiles }, runId)
  const top = resolve(folder)
  const paths = files.map(({ path }) => path)
  for (const path of paths) await writeNew({ top, path, content: await read(path) })
  return { files: paths, from }
}

interface Writing {
  readonly top: string
  readonly path: string
  readonly content: AsyncIterable<Uint8Array>
}

async function writeNew({ top, path, content }: Writing): Promise<void> {
  const below = normalize(path)
  if (below.startsWith('/') || below.split('/')[0] === '..') throw new Error(`${path} is no path of an artifact`)
  const to = join(top, below)
  await mkdir(dirname(to), { recursive: true })
  const file = await open(to, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new DrydockError('bad_usage', `${to} is there already.`, { todo: 'Name an empty or a new folder.' })
  })
  try {
    for await (const chunk of content) await file.write(chunk)
  } catch (error) {
    // Half of a file would be taken for all of it.
    await unlink(to)
    throw error
  } finally {
    await file.close()
  }
}
