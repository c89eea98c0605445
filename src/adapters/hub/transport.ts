import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'

export interface Sent {
  readonly method: 'GET' | 'POST'
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends requests to one origin. A redirect is returned like any other answer. */
export type Transport = (sent: Sent) => Promise<IncomingMessage>

/**
 * HTTP to a hub, through the proxy of the environment, and with the certificates that Node trusts.
 * Idle connections do not keep the process alive.
 */
export function createTransport(origin: string, env: Readonly<Record<string, string | undefined>>): Transport {
  const { protocol, hostname } = new URL(origin)
  const options = { keepAlive: true, ...(!isLoopback(hostname) && { proxyEnv: proxies(env) }) }
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new SecureAgent(options) : new Agent(options)
  const ask = isSecure ? secureRequest : request
  return ({ method, path, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const sent = ask(new URL(path, origin), { method, headers: { ...headers, ...length }, signal, agent }, resolve)
      sent.on('error', reject)
      sent.once('close', () => reject(new Error('the connection was closed without an answer')))
      sent.once('upgrade', (_message, socket) => socket.destroy(new Error('the server switched to another protocol')))
      sent.end(body)
    })
}

function proxies(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const first = (...names: readonly string[]) => names.map((name) => env[name]?.trim()).find(Boolean) ?? ''
  return {
    HTTP_PROXY: first('http_proxy', 'HTTP_PROXY'),
    HTTPS_PROXY: first('https_proxy', 'HTTPS_PROXY'),
    NO_PROXY: first('no_proxy', 'NO_PROXY'),
  }
}

/** Loopback addresses bypass the proxy, for which they would mean its own machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
