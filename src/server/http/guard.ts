import type { Context, MiddlewareHandler } from 'hono'
import type { Route } from '../../api/route.ts'
import { routes } from '../../api/routes.ts'
import { tokenHeader } from '../../api/session.ts'
import { holdsToken } from '../../app/commands/hub/hub-tokens.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { isAllowed } from '../../domain/hub/role.ts'
import type { Access } from './access.ts'
import { refusal } from './refusal.ts'

/**
 * The page may load nothing from elsewhere, run only scripts that are files of the dashboard, and
 * not be framed by another page.
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

/**
 * Precedes every route (security.md, the dashboard). It requires one of the server's own host
 * names, which excludes a rebound DNS name; no request from another site; no token in a URL, since
 * URLs are logged; and a session for all of the API. A request that changes something also needs an
 * `Origin`, which a page cannot forge, and a fresh token. One half of a session is in a header and
 * never in a cookie, since a browser sends cookies to every port of a machine.
 */
export function guard(access: Access): MiddlewareHandler {
  return async (c, next) => {
    c.set('asker', null)
    const refused = await refusalOf(c, access).catch((error: unknown) => {
      if (error instanceof DrydockError) return error
      throw error
    })
    if (refused === null) await next()
    else {
      access.refused(c, { code: refused.code, name: c.get('asker')?.name ?? null, route: null, needs: null })
      c.res = refusal(c, refused)
    }
    for (const [name, value] of Object.entries({ ...headers, ...access.headers })) c.res.headers.set(name, value)
    if (isApi(c)) c.res.headers.set('Cache-Control', 'no-store')
    for (const name of oldCookies(c))
      c.res.headers.append('Set-Cookie', `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`)
  }
}

/** Precedes one route: refuses roles without the right that it needs. */
export function admit(access: Access, name: string, { role }: Route): MiddlewareHandler {
  return async (c, next) => {
    if (role !== 'anyone') {
      const asker = c.get('asker')
      if (asker === null) throw noSession(access)
      if (!isAllowed(asker.role, role)) {
        access.refused(c, { code: 'not_allowed', name: asker.name, route: name, needs: role })
        throw new DrydockError('not_allowed', `The role ${asker.role} does not allow this. It needs ${role}.`, {
          todo: 'Ask an admin of the hub for a token with that role.',
        })
      }
    }
    await next()
  }
}

function isApi({ req: { path } }: Context): boolean {
  return ['/session', '/api'].some((part) => path === part || path.startsWith(`${part}/`))
}

/**
 * Names of session cookies from an earlier version. They are no longer read, and the browser should
 * delete them.
 */
function oldCookies({ req }: Context): readonly string[] {
  return (req.header('cookie') ?? '').match(/\bdrydock_[0-9a-f]{12}(?==)/g) ?? []
}

const pathsOf = (isMeant: (route: Route) => boolean) =>
  new Set(Object.values<Route>(routes).flatMap((route) => (isMeant(route) ? [route.path] : [])))
const open = pathsOf(({ role }) => role === 'anyone')
const ofSession = pathsOf(({ needs }) => needs === 'session')

async function refusalOf(c: Context, access: Access): Promise<DrydockError | null> {
  const { req } = c
  const host = req.header('host') ?? ''
  const own = access.originAt(host)
  if (own === null) return foreign(`It is not reached as ${host || 'nothing'}.`)
  const origin = req.header('origin')
  if (origin !== undefined && origin !== own) return foreign(`A page of ${origin} may not ask.`)
  if (req.query('token') !== undefined || holdsToken(req.url)) {
    return new DrydockError('bad_usage', 'A token must not be in an address, because addresses are logged.', {
      todo: 'A link has it behind #. Revoke a personal token that was sent like this.',
    })
  }
  if (!isApi(c)) return null
  const site = req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return foreign(`A ${site} page may not send requests.`)
  const isWrite = req.method !== 'GET' && req.method !== 'HEAD'
  if (isWrite && origin === undefined && !access.isProgram(c))
    return foreign('What changes something must come with an Origin.')
  if (isWrite && !/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? '')) {
    return new DrydockError('bad_usage', 'The body must be application/json.', { todo: 'See: docs/api.md' })
  }
  if (open.has(req.path)) return null
  const asker = await access.askerOf(c)
  if (asker === null) return noSession(access)
  c.set('asker', asker)
  if (!isWrite || ofSession.has(req.path)) return null
  return asker.isFresh(req.header(tokenHeader) ?? '') ? null : notFresh()
}

function foreign(message: string): DrydockError {
  return new DrydockError('foreign_request', message, { todo: 'Open the address that Drydock prints.' })
}

export function noSession({ todo }: Pick<Access, 'todo'>): DrydockError {
  return new DrydockError(
    'not_signed_in',
    'There is no session, it has ended, or its link or token is not good any more.',
    { todo },
  )
}

export function notFresh(): DrydockError {
  return new DrydockError('not_fresh', 'This command needs a token from the last minutes.', {
    todo: 'Get one from /api/session/token, see: docs/api.md',
  })
}
