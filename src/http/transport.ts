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

/** The part of `Response` that its readers use: for a real one Node would load all of fetch. */
export interface Answer<Body extends AsyncIterable<Uint8Array> = Readable> {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  /** Names are in lower case; values of equal names are joined. */
  readonly headers: ReadonlyMap<string, string>
  /** The decoded body. */
  readonly body: Body
}

export type Transport = (url: string, init: TransportRequest) => Promise<Answer>

/**
 * HTTP with its own connections and without timeouts: fetch has a timeout of 300 s, which would end
 * a stream that is silent for longer. Idle connections do not keep the process alive. A redirect is
 * returned like any other answer, since following it could carry the key to another host.
 */
export function createTransport(proxy: HttpProxy | null = null): Transport {
  const options = { keepAlive: true, ...(proxy !== null && { proxyEnv: environmentOf(proxy) }) }
  // Importing these modules would load everything that they export, including fetch, before the
  // first request.
  const { Agent, request } = process.getBuiltinModule('node:http')
  const { Agent: SecureAgent, request: secureRequest } = process.getBuiltinModule('node:https')
  const agent = new Agent(options)
  const secureAgent = new SecureAgent(options)
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url)
      // Without this header a proxy may hold a stream back to compress it.
      const asked = { method, headers: { 'accept-encoding': 'identity', ...cleaned(headers) }, signal }
      const sent =
        target.protocol === 'https:'
          ? secureRequest(target, { ...asked, agent: secureAgent })
          : request(target, { ...asked, agent })
      sent.on('error', reject)
      sent.once('close', () => reject(new Error('the connection was closed without an answer')))
      // Without this handler Node would leave the request waiting for ever.
      sent.once('upgrade', (_message, socket) => socket.destroy(new Error('the server switched to another protocol')))
      sent.once('response', (message) => resolve(toAnswer(message)))
      // Makes Node load the streams for the reply while the model thinks, and not before the
      // request.
      sent.once('finish', () => typeof globalThis.ReadableStream)
      // Sent as bytes, since Node takes several times as long to write a long string.
      sent.end(typeof body === 'string' ? Buffer.from(body) : body)
    })
}

/** Normalizes like `Headers`, which would load all of fetch before the first request. */
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
  // These headers describe the encoded body, so they are dropped.
  for (const name of ['content-encoding', 'content-length']) if (encoding !== '') headers.delete(name)
  const body = unpacked(message, encoding)
  return { ok: status >= 200 && status < 300, status, statusText, headers, body }
}
