import type { DownloadList } from '../../src/api/downloads.ts'
import { RequestFailed, reach } from './reach.ts'
import { currentSession } from './session.ts'

export interface DownloadTarget {
  readonly list: DownloadList
  readonly run?: string
  readonly story?: string | null
  readonly bench?: string
}

/** Saves a whole list as a file. */
export function download({ list, run, story, bench }: DownloadTarget): Promise<void> {
  const asked = new URLSearchParams({
    list,
    ...(run !== undefined && { run }),
    ...(story && { story }),
    ...(bench && { bench }),
  })
  return downloadFrom(`/api/download?${asked}`)
}

/**
 * Saves an answer as a file. An incomplete answer is not saved, since the browser would keep it as
 * if it were whole.
 */
export async function downloadFrom(path: string): Promise<void> {
  const answer = await reach(path, {}, currentSession()?.session ?? null)
  const file = URL.createObjectURL(await whole(answer))
  const link = document.createElement('a')
  link.href = file
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'drydock'
  link.click()
  // After a minute the browser has certainly read the file.
  setTimeout(() => URL.revokeObjectURL(file), 60_000)
}

async function whole(answer: Response): Promise<Blob> {
  try {
    return await answer.blob()
  } catch {
    throw new RequestFailed(0, {
      code: 'broken_off',
      message: 'It broke off on its way, so no file was made.',
      todo: 'Try it again.',
    })
  }
}
