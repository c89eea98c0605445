import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { HttpProxy } from './proxy.ts'
import { unpacked } from './unpacked.ts'

export interface TransportRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Uint8Array | undefined
  readonly signal: AbortSignal
}

/** As much of a `Response` as its readers use: for a real one Node would load all of fetch. */
export interface Answer<Body extends AsyncIterable<Uint8Array> = Readable> {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  /** Names are in small letters; values of the same name are joined. */
  readonly headers: ReadonlyMap<string, string>
  /** Without the encoding in which it was sent. */
  readonly body: Body
}

export type Transport = (url: string, init: TransportRequest) => Promise<Answer>

/**
 * HTTP with connections of its own and no timeouts: fetch, whose own is 300 s, would end a stream
 * that is quiet for longer. Idle connections do not keep the process alive. A redirect is an answer
 * like any other: following one could carry the key to another host.
 */
export function createTransport(proxy: HttpProxy | null = null): Transport {
  const options = { keepAlive: true, ...(proxy !== null && { proxyEnv: environmentOf(proxy) }) }
  // An import of these would load all that they export, fetch too, before anything is asked.
  const { Agent, request } = process.getBuiltinModule('node:http')
  const { Agent: SecureAgent, request: secureRequest } = process.getBuiltinModule('node:https')
  const agent = new Agent(options)
  const secureAgent = new SecureAgent(options)
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url)
      // A proxy holds a stream back to compress it, and without this header it may.
      const asked = { method, headers: { 'accept-encoding': 'identity', ...cleaned(headers) }, signal }
      const sent =
        target.protocol === 'https:'
          ? secureRequest(target, { ...asked, agent: secureAgent })
          : request(target, { ...asked, agent })
      sent.on('error', reject)
      sent.once('close', () => reject(new Error('the connection was closed without an answer')))
      // Nobody asked for another protocol; Node would leave the request waiting for ever.
      sent.once('upgrade', (_message, socket) => socket.destroy(new Error('the server switched to another protocol')))
      sent.once('response', (message) => resolve(toAnswer(message)))
      // Node loads the streams that read the reply: while the model thinks, not before it is asked.
      sent.once('finish', () => typeof globalThis.ReadableStream)
      // As bytes: of a long text, Node's own way of writing it takes several times as long.
      sent.end(typeof body === 'string' ? Buffer.from(body) : body)
    })
}

/** As `Headers` has them, which would load all of fetch before anything is asked. */
function cleaned(headers: TransportRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')]),
  )
}

function environmentOf({ url, except }: HttpProxy) {
  return { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: except }
}

function toAnswer(message: IncomingMessage): Answer {
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = message
  const headers = new Map<string, string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    const before = headers.get(name)
    const value = rawHeaders[i + 1] ?? ''
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  const statusText = statusMessage.replace(/[^\t\x20-\x7e]/g, '?')
  const encoding = headers.get('content-encoding') ?? ''
  // They describe the body as it came.
  for (const name of ['content-encoding', 'content-length']) if (encoding !== '') headers.delete(name)
  const body = unpacked(message, encoding)
  return { ok: status >= 200 && status < 300, status, statusText, headers, body }
}
