import { limits } from '../../domain/limits.ts'

interface Kept {
  readonly etag: string
  readonly body: ArrayBuffer
  readonly response: Response
}

/**
 * Answers that a forge has marked, so that it is asked only whether they have changed. Those that
 * were not asked for longest go first.
 */
export function createKeptAnswers() {
  const kept = new Map<string, Kept>()

  return {
    /** The mark of what is known already; undefined without any. */
    mark: (url: string): string | undefined => kept.get(url)?.etag,

    /** The answer to keep in mind, or the known one in place of "not modified". */
    async take(url: string, response: Response): Promise<Response> {
      const before = kept.get(url)
      kept.delete(url)
      if (response.status === 304 && before !== undefined) {
        kept.set(url, before)
        return again(before)
      }
      const etag = response.headers.get('etag')
      if (etag === null || response.status !== 200) return response
      const body = await response.arrayBuffer()
      const answer = { etag, body, response }
      if (body.byteLength <= limits.forge.keptBytes) kept.set(url, answer)
      const [oldest] = kept.keys()
      if (kept.size > limits.forge.keptAnswers && oldest !== undefined) kept.delete(oldest)
      return again(answer)
    },
  }
}

function again({ body, response: { status, statusText, headers, url } }: Kept): Response {
  const response = new Response(body, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}
