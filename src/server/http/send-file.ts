import { findFiles } from '../../app/views/verification-files.ts'
import { findVerification } from '../../app/views/verifications.ts'
import type { ViewSources } from '../../app/views/view-sources.ts'

interface Sending {
  readonly sources: ViewSources
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
}

/**
 * Sends a file of a verification as a download. It is never displayed, since a change may have
 * written its content.
 */
export async function sendFile(
  { sources, onError }: Sending,
  { runId, path }: { readonly runId: string; readonly path: string },
): Promise<Response> {
  const { runId: id } = await findVerification(sources, runId)
  const { read } = await findFiles(sources, id)
  const content = (await read(path))[Symbol.asyncIterator]()
  // Reads the first part early, so that an unreadable file still gets an error status.
  let next = await content.next()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (next.done) return controller.close()
        controller.enqueue(next.value)
        next = await content.next()
      } catch (error) {
        onError(error)
        controller.error(error)
      }
    },
    async cancel() {
      await content.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${`${id}-${path}`.replaceAll(/[^\w.-]/g, '_')}"`,
    },
  })
}
