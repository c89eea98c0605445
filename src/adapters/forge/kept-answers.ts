import { limits } from '../../domain/limits.ts'

interface StoredAnswer {
  readonly etag: string
  readonly body: ArrayBuffer
  readonly response: Response
}

/**
 * Answers with an ETag, so that a forge is only asked if they have changed. The least recently used
 * ones are evicted.
 */
export function createKeptAnswers() {
  const kept = new Map<string, StoredAnswer>()

  return {
    /** The ETag of a kept answer; undefined if none is kept. */
    mark: (url: string): string | undefined => kept.get(url)?.etag,

    /** Keeps the answer, or returns the kept one in place of "not modified". */
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

function again({ body, response: { status, statusText, headers, url } }: StoredAnswer): Response {
  const response = new Response(body, { status, statusText, headers })
  Object.defineProperty(response, 'url', { value: url })
  return response
}
