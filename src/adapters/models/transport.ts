import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { HttpProxy } from './proxy.ts'

export interface TransportRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Uint8Array | undefined
  readonly signal: AbortSignal
}

export type Transport = (url: string, init: TransportRequest) => Promise<Response>

/** Answers that have no body. */
const bodiless = [204, 205, 304]

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
      const asked = { method, headers: cleaned(headers), signal }
      const sent =
        target.protocol === 'https:'
          ? secureRequest(target, { ...asked, agent: secureAgent })
          : request(target, { ...asked, agent })
      sent.on('error', reject)
      sent.once('close', () => reject(new Error('the connection was closed without an answer')))
      // Nobody asked for another protocol; Node would leave the request waiting for ever.
      sent.once('upgrade', (_message, socket) => socket.destroy(new Error('the server switched to another protocol')))
      sent.once('response', (message) => {
        try {
          resolve(toResponse(message))
        } catch (error) {
          // A status that no answer can have.
          message.destroy()
          reject(error)
        }
      })
      // Node loads all of fetch for its answer: while the model thinks, and not before it is asked.
      sent.once('finish', () => typeof globalThis.Response)
      sent.end(body)
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

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage = '', rawHeaders } = message
  const statusText = statusMessage.replace(/[^\t\x20-\x7e]/g, '?')
  const headers = rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
  )
  if (!bodiless.includes(status)) return new Response(Readable.toWeb(message), { status, statusText, headers })
  message.resume()
  return new Response(null, { status, statusText, headers })
}
