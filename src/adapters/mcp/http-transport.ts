import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { limits } from '../../domain/limits.ts'
import type { BoundTransport } from './program-transport.ts'
import { ServerBroke } from './server-broke.ts'

interface Place {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Messages to and from a server at a URL. No request goes to another origin. */
export function httpTransport({ url, headers }: Place): BoundTransport {
  const { origin } = new URL(url)
  let bytes = 0
  let broke: Error | null = null

  function fail(message: string): Error {
    broke ??= new ServerBroke(message)
    // Closing ends the requests that wait for an answer, which would otherwise wait for ever.
    void transport.close()
    return broke
  }

  function counted(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length
          if (bytes > limits.mcp.callBytes) throw fail(`wrote more than ${limits.mcp.callBytes} bytes for one call`)
          controller.enqueue(chunk)
        },
      }),
    )
  }

  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers, redirect: 'manual' },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
    async fetch(asked, init) {
      if (new URL(asked).origin !== origin) throw fail('leads to another host')
      const response = await fetch(asked, { ...init, redirect: 'manual' })
      if (response.status >= 300 && response.status < 400) throw fail('leads to another address, which is not followed')
      if (response.status === 401 || response.status === 403) throw fail(`refused with status ${response.status}`)
      const { status, statusText } = response
      if (response.body === null) return response
      return new Response(counted(response.body), { status, statusText, headers: response.headers })
    },
  })
  return Object.assign(transport, {
    newCall() {
      bytes = 0
    },
    cause: async () => broke,
  })
}
