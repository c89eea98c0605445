import { mkdir, open } from 'node:fs/promises'
import { dirname, join, normalize, resolve } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Drydock } from '../drydock.ts'

export interface ExportedFiles {
  /** Their paths below the folder. */
  readonly files: readonly string[]
  /** `here`: this machine has them; `kept`: they were read where they are kept beside it. */
  readonly from: 'here' | 'kept'
}

/**
 * Writes the files of a verification into a folder, in which none of them may be there.
 * DrydockError `not_found`, `bad_usage`, and those of Blobs.
 */
export async function exportFiles(
  drydock: Drydock,
  { runId, folder }: { readonly runId: string; readonly folder: string },
): Promise<ExportedFiles> {
  const artifacts = drydock.openArtifacts()
  const here = await artifacts.files(runId)
  const from = here.length > 0 ? 'here' : 'kept'
  const found = here.length > 0 ? here : ((await drydock.storedFiles?.files(runId)) ?? [])
  if (found.length === 0) {
    throw new DrydockError('not_found', `There are no files of the verification ${runId}.`, {
      todo: 'They are kept for at most 14 days. The end of its log may still be there: drydock log <run_id>',
    })
  }
  const top = resolve(folder)
  const files = found.map(({ path }) => path)
  for (const path of files) {
    const content = from === 'here' ? artifacts.readFile(runId, path) : await drydock.storedFiles?.read(runId, path)
    if (content) await writeNew({ top, path, content })
  }
  return { files, from }
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
  } finally {
    await file.close()
  }
}
