import type { Context, MiddlewareHandler } from 'hono'
import { type Route, routes } from '../../api/routes.ts'
import { tokenHeader } from '../../api/session.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { refusal } from './refusal.ts'
import type { Sessions } from './sessions.ts'

/**
 * Nothing is loaded from elsewhere, no script runs that is no file of the dashboard, and no other
 * page may show it in a frame.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

interface Guarded {
  readonly sessions: Sessions
  readonly port: () => number
}

/**
 * Stands before every route (security.md, the dashboard): only its own names, which a rebound DNS
 * name is not; no other site's requests; no token in an address, since addresses are logged; a
 * session for all of the API; and for what changes something an `Origin`, which no page can forge,
 * and a fresh token. A session is in a header and never in a cookie, which a browser sends to every
 * port of this machine.
 */
export function guard({ sessions, port }: Guarded): MiddlewareHandler {
  return async (c, next) => {
    const refused = await refusalOf(c, sessions, port())
    if (refused === null) await next()
    else c.res = refusal(c, refused)
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
    if (isApi(c)) c.res.headers.set('Cache-Control', 'no-store')
    for (const name of oldCookies(c))
      c.res.headers.append('Set-Cookie', `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`)
  }
}

function isApi({ req: { path } }: Context): boolean {
  return path === '/session' || path === '/api' || path.startsWith('/api/')
}

/** Sessions of an earlier version: nothing reads them, and the browser is to forget them. */
function oldCookies({ req }: Context): readonly string[] {
  return (req.header('cookie') ?? '').match(/\bdrydock_[0-9a-f]{12}(?==)/g) ?? []
}

/** The session that a request has with it, whatever it is worth. */
export function sessionOf({ req }: Context): string {
  return /^Bearer (\S+)$/i.exec(req.header('authorization') ?? '')?.[1] ?? ''
}

const exceptions: Readonly<Record<string, Route['needs']>> = Object.fromEntries(
  Object.values<Route>(routes).flatMap(({ path, needs }) => (needs ? [[path, needs]] : [])),
)

async function refusalOf(c: Context, sessions: Sessions, port: number): Promise<DrydockError | null> {
  const { req } = c
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const host = req.header('host') ?? ''
  if (!hosts.includes(host)) return foreign(`It is not reached as ${host || 'nothing'}.`)
  const origin = req.header('origin')
  if (origin !== undefined && origin !== `http://${host}`) return foreign(`A page of ${origin} may not ask.`)
  if (req.query('token') !== undefined) {
    return new DrydockError('bad_usage', 'A token does not belong into a query, which is logged.', {
      todo: 'Use the address as it was printed, with # before the token.',
    })
  }
  if (!isApi(c)) return null
  const site = req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return foreign(`A ${site} page may not ask.`)
  const isWrite = req.method !== 'GET' && req.method !== 'HEAD'
  if (isWrite && origin === undefined) return foreign('What changes something must come with an Origin.')
  if (isWrite && !/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')) {
    return new DrydockError('bad_usage', 'The body must be application/json.', { todo: 'See: docs/api.md' })
  }
  const needs = exceptions[req.path]
  if (needs === 'nothing') return null
  const session = sessionOf(c)
  if (!(await sessions.isOpen(session))) return noSession()
  if (!isWrite || needs === 'session') return null
  return sessions.isFresh(session, req.header(tokenHeader) ?? '') ? null : notFresh()
}

function foreign(message: string): DrydockError {
  return new DrydockError('foreign_request', message, { todo: 'Open the address that `drydock serve` prints.' })
}

export function noSession(): DrydockError {
  return new DrydockError(
    'not_signed_in',
    'This browser has no session, its session has ended, or its link is used up.',
    {
      todo: 'Get a new link: drydock serve',
    },
  )
}

export function notFresh(): DrydockError {
  return new DrydockError('not_fresh', 'What acts needs a token of the last minutes.', {
    todo: 'Get one from /api/session/token, see: docs/api.md',
  })
}
