import type { DownloadList } from '../../src/api/downloads.ts'
import { RequestFailed, reach } from './reach.ts'
import { currentSession } from './session.ts'

export interface Downloaded {
  readonly list: DownloadList
  readonly run?: string
  readonly story?: string | null
  readonly bench?: string
}

/** Has the browser keep a whole list as a file. */
export function download({ list, run, story, bench }: Downloaded): Promise<void> {
  const asked = new URLSearchParams({
    list,
    ...(run !== undefined && { run }),
    ...(story && { story }),
    ...(bench && { bench }),
  })
  return downloadFrom(`/api/download?${asked}`)
}

/**
 * Has the browser keep an answer as a file. What breaks off on the way is no file: the browser
 * would keep half of it as if it were all.
 */
export async function downloadFrom(path: string): Promise<void> {
  const answer = await reach(path, {}, currentSession()?.session ?? null)
  const file = URL.createObjectURL(await whole(answer))
  const link = document.createElement('a')
  link.href = file
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? 'drydock'
  link.click()
  // The browser has taken it once this turn is over.
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
