import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { freshTokenSchema, openedSessionSchema, tokenHeader } from '../api/session.ts'
import type { Dashboard } from '../server/http/serve-dashboard.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * An event stream has no end, so it is read until it contains this text; without it, no body is
   * read.
   */
  readonly until?: string
}

/** Sends a request exactly as given, without headers that a client would add or forbid. */
export function askDashboard(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '', until }: Asking = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const all = { Host: `127.0.0.1:${port}`, ...headers }
  const sent = request({ host: '127.0.0.1', port, path, method, headers: all, agent: false }, (response) => {
    const { statusCode: status = 0, headers: received } = response
    const isStream = received['content-type']?.startsWith('text/event-stream')
    const reading = isStream ? readUntil(response, until) : text(response)
    reading.then((content) => resolve({ status, headers: received, body: content }), reject)
  })
  sent.on('error', reject).end(body)
  return promise
}

async function readUntil(response: IncomingMessage, until: string | undefined): Promise<string> {
  let read = ''
  response.setEncoding('utf8')
  if (until !== undefined)
    for await (const chunk of response) {
      read += chunk
      if (read.includes(until)) break
    }
  response.destroy()
  return read
}

export const tokenOf = ({ link }: Dashboard): string => new URL(link).hash.replace('#token=', '')

/** The request that exchanges a printed link for a session. */
export function exchangeOf(dashboard: Dashboard): Asking {
  const headers = { Origin: dashboard.url, 'Content-Type': 'application/json' }
  return { method: 'POST', headers, body: JSON.stringify({ token: tokenOf(dashboard) }) }
}

export interface Session {
  readonly port: number
  readonly session: string
  /** The headers that the page sends, with a fresh token. */
  readonly headers: Readonly<Record<string, string>>
}

export async function signIn(dashboard: Dashboard): Promise<Session> {
  const port = Number(new URL(dashboard.url).port)
  const exchange = exchangeOf(dashboard)
  const { session, key } = openedSessionSchema.parse(JSON.parse((await askDashboard(port, '/session', exchange)).body))
  const headers = { ...exchange.headers, Authorization: `Bearer ${session}` }
  const asking = { method: 'POST', headers, body: JSON.stringify({ key }) }
  const { token } = freshTokenSchema.parse(JSON.parse((await askDashboard(port, '/api/session/token', asking)).body))
  return { port, session, headers: { ...headers, [tokenHeader]: token } }
}
