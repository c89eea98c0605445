import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { HTTPException } from 'hono/http-exception'
import type { z } from 'zod'
import { apiErrorSchema } from '../../api/api-error.ts'
import type { Now, NowQuery } from '../../api/now.ts'
import type { Route } from '../../api/route.ts'
import { type RouteName, routes } from '../../api/routes.ts'
import { type OpenSession, type ProviderAnswer, type SessionKey, tokenHeader } from '../../api/session.ts'
import type { Asker as Asked } from '../../app/operations/operation.ts'
import { type Acts, acts } from '../../app/operations/operations.ts'
import { benchesOf, createReads, type Reading } from '../../app/operations/read/reads.ts'
import { findRun, type ViewSources } from '../../app/views/view-sources.ts'
import { withDiskFull } from '../../domain/disk-full.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { capText } from '../../domain/text.ts'
import type { Access, Asker } from './access.ts'
import type { AskedStream, EventStreams } from './event-stream.ts'
import { admit, guard, noSession, notFresh } from './guard.ts'
import { gitDoor, gitPath } from './hub/git-door.ts'
import type { Hub } from './hub/hub.ts'
import type { HubWatch } from './hub/hub-watch.ts'
import { refuseOnStandby, type Standby } from './hub/standby.ts'
import type { LiveLanes } from './live-lanes.ts'
import { refusal } from './refusal.ts'
import { sendFile } from './send-file.ts'
import { type Download, sendList } from './send-list.ts'
import { staticFile } from './static-files.ts'

/** The sources of responses that every kind of server has. */
export interface Answering extends Reading {
  /** The operations for the sender that the route admitted. */
  readonly acts: (asker: Asked) => Acts
  /** Null for the dashboard of one user, which has no tokens. */
  readonly hub: Hub | null
}

export interface Serving extends Answering {
  readonly sources: ViewSources
  readonly access: Access
  readonly stream: EventStreams['open']
  readonly live: LiveLanes
  /** Aborted when the server starts to end. */
  readonly closing: AbortSignal
  /** The folder of the built dashboard. */
  readonly folder: string
  /** An id that differs at each start of the server. */
  readonly server: string
  /** Null for the dashboard of one user. */
  readonly watch: HubWatch | null
  readonly standby?: Standby
  /** Receives bugs. */
  readonly onError: (error: unknown) => void
}

type Answer = (c: Context) => Promise<Response>

/** Creates the server: all routes of the table behind the guard, and the files of the dashboard. */
export function createApp(serving: Serving): OpenAPIHono {
  const { redact, access, stream, folder, watch, onError } = serving
  const app = new OpenAPIHono({
    defaultHook: (result, c) => (result.success ? undefined : refusal(c, badInput(result.error))),
  })
  if (watch) addWatch(app, watch)
  app.use(guard(access))
  if (serving.standby) app.use(refuseOnStandby(serving.standby))
  if (serving.hub !== null) {
    const { control, time } = serving.hub
    app.all(`${gitPath}/*`, gitDoor({ control, time, records: serving.sources.records, access, onError }))
  }
  app.use(compress())
  // HEAD runs the handler of GET and discards its body, so that a stream must be cancelled.
  app.use(async (c, next) => {
    await next()
    if (c.req.method === 'HEAD') await c.res.body?.cancel()
  })
  const most = (maxSize: number) => bodyLimit({ maxSize, onError: (c) => refusal(c, tooLarge(maxSize), 413) })
  app.use('/session', most(limits.hub.signInBytes))
  app.use('/session/*', most(limits.hub.answerBytes))
  app.use(most(limits.dashboard.requestBytes))
  app.onError((thrown, c) => {
    const error = withDiskFull(thrown)
    watch?.metrics.failed(error instanceof DrydockError ? error.code : 'bug')
    if (error instanceof HTTPException) return refusal(c, unreadable(error.message), error.status as 400)
    if (!(error instanceof DrydockError)) onError(error)
    return refusal(c, withoutSecrets(error, redact))
  })
  const ways: Readonly<Record<RouteName, Answer>> = {
    ...plainAnswers(serving),
    async openSession(c) {
      const opened = await access.signIn(c, (valid(c, 'json') as OpenSession).token)
      if (opened === null) throw noSession(access)
      return c.json(opened)
    },
    startSignIn: async (c) => c.json(await providerOf(access).start(c)),
    finishSignIn: async (c) => c.json(await providerOf(access).finish(c, valid(c, 'json') as ProviderAnswer)),
    async freshToken(c) {
      const token = askerOf(c).freshToken((valid(c, 'json') as SessionKey).key)
      if (token === null) throw notFresh()
      return c.json(token)
    },
    async endSessions(c) {
      await askerOf(c).end(c)
      return c.body(null, 204)
    },
    async metrics(c) {
      const { text, contentType } = watchOf(serving).metrics
      return c.body(await text(), 200, { 'Content-Type': contentType })
    },
    openapi: async (c) => c.json(openApiDocument(app, serving)),
    download: (c) => sendList({ ...serving, benches: () => benchesOf(serving) }, valid(c, 'query') as Download),
    verificationFile: (c) =>
      sendFile(serving, { runId: c.req.param('run_id') ?? '', path: (valid(c, 'query') as { path: string }).path }),
    async now(c) {
      const [asker, run] = [askerOf(c), c.req.param('run') ?? '']
      await findRun(serving.sources, run)
      const signal = AbortSignal.any([c.req.raw.signal, serving.closing, asker.ending()])
      const now: Now = await serving.live.read(run, valid(c, 'query') as NowQuery, signal)
      // The session may have ended during the wait.
      if (!(await asker.isOpen())) throw noSession(access)
      return new Response(redact(JSON.stringify(now)), { headers: { 'Content-Type': 'application/json' } })
    },
    events: (c) => stream(c, askerOf(c), valid(c, 'query') as AskedStream),
  }
  for (const [name, scheme] of Object.entries(securitySchemes)) {
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  }
  for (const name of Object.keys(routes) as RouteName[]) app.openapi(toOpenApi(name, access), ways[name])
  const told = { server: serving.server, ...(serving.hub && { hub: true }) }
  app.get('/server', (c) => c.json({ ...told, ...(access.provider && { provider: access.provider.label }) }))
  app.all('/api/*', (c) => refusal(c, noRoute(c)))
  app.get('*', (c) => staticFile(c, folder))
  app.notFound((c) => refusal(c, noRoute(c)))
  return app
}

/**
 * Adds the health check of a hub. Monitoring programs call it by any host name and without a token,
 * so it contains only fixed words. It precedes the guard.
 */
function addWatch(app: OpenAPIHono, { health, metrics }: HubWatch): void {
  const told = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
  app.use(async (c, next) => {
    await next()
    metrics.answered(c.res.status)
  })
  app.get('/health/live', (c) => c.json({ status: 'live' }, 200, told))
  app.get('/health/ready', async (c) => {
    const found = await health()
    return c.json(found, found.status === 'ready' ? 200 : 503, told)
  })
}

type PlainName = keyof Acts | keyof ReturnType<typeof createReads>

/** The handlers of the operations table: operations that act, and views that read. */
function plainAnswers(serving: Serving): Readonly<Record<PlainName, Answer>> {
  const { redact } = serving
  const reads = createReads(serving.sources, serving)
  const names = [...Object.keys(acts), ...Object.keys(reads)] as PlainName[]
  return Object.fromEntries(
    names.map((name): [string, Answer] => {
      const { status = 200, query, body }: Route = routes[name]
      const isAct = Object.hasOwn(acts, name)
      const shown = isAct && acts[name as keyof Acts].isSecret ? String : redact
      return [
        name,
        async (c: Context) => {
          const input = { ...c.req.param(), ...(query && partOf(c, 'query')), ...(body && partOf(c, 'json')) }
          const { name: by, role } = askerOf(c)
          const asked = { by, role, key: idempotencyKey(c) }
          const does = (isAct ? serving.acts(asked) : reads) as Readonly<Record<string, Does>>
          const answer = await does[name]?.(input, asked)
          if (status === 204) return c.body(null, status)
          const headers = { 'Content-Type': 'application/json' }
          return new Response(shown(JSON.stringify(answer)), { status, headers })
        },
      ]
    }),
  ) as Readonly<Record<PlainName, Answer>>
}

type Does = (input: object, asked: Asked) => Promise<unknown>

function partOf(c: Context, part: 'json' | 'query'): object {
  return valid(c, part) as object
}

/** The error without secrets, since its message may contain somebody's input. */
function withoutSecrets(error: unknown, redact: Serving['redact']): unknown {
  if (error instanceof DrydockError) {
    const { code, message, todo } = error
    return new DrydockError(code, redact(message), { todo: redact(todo), cause: error })
  }
  return new Error(redact(error instanceof Error ? error.message : String(error)))
}

/** The monitoring of a hub. Throws DrydockError `not_found` on a dashboard of one user. */
function watchOf({ watch }: Serving): HubWatch {
  if (watch !== null) return watch
  throw new DrydockError('not_found', 'This dashboard belongs to one user. It keeps no figures.', {
    todo: 'A team uses: drydock hub',
  })
}

/**
 * The idempotency key of a request's command; null without one. Throws DrydockError `bad_usage`.
 */
function idempotencyKey({ req }: Context): string | null {
  const key = req.header('idempotency-key')
  if (key === undefined) return null
  if (/^[\w-]{8,100}$/.test(key)) return key
  throw new DrydockError('bad_usage', 'An Idempotency-Key has 8 to 100 letters, digits, - and _.', { todo })
}

/** The sender that the route has admitted. */
function askerOf(c: Context): Asker {
  const asker = c.get('asker')
  if (asker === null) throw new Error(`${c.req.method} ${c.req.path} has admitted nobody`)
  return asker
}

/** The value that the route's schema has parsed. */
function valid(c: Context, part: 'json' | 'query'): unknown {
  return c.req.valid(part as never)
}

const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'The session of POST /session.' },
  token: { type: 'apiKey', in: 'header', name: tokenHeader, description: 'A token of POST /api/session/token.' },
} as const

function securityOf({ method, needs, role }: Route): Record<string, string[]>[] {
  if (role === 'anyone') return []
  return [{ session: [], ...(method === 'post' && needs === undefined && { token: [] }) }]
}

function toOpenApi(name: RouteName, access: Access) {
  const { method, path, what, query, body, answer, status = 200 }: Route = routes[name]
  const json = (schema: z.ZodType) => ({ 'application/json': { schema } })
  return createRoute({
    method,
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    summary: what,
    operationId: name,
    security: securityOf(routes[name]),
    middleware: admit(access, name, routes[name]),
    request: { ...(query && { query }), ...(body && { body: { required: true, content: json(body) } }) },
    responses: {
      [status]: { description: what, ...(answer && { content: json(answer) }) },
      default: { description: 'It was not done.', content: json(apiErrorSchema) },
    },
  })
}

function openApiDocument(app: OpenAPIHono, { sources }: Serving): object {
  const description = 'What the dashboard asks, and whoever else has a session of it. See docs/api.md.'
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Drydock', version: sources.version, description },
  })
}

const todo = 'See: docs/api.md, or /api/openapi.json'

function badInput({ issues }: z.core.$ZodError): DrydockError {
  const problems = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.') || 'the body'}: ${capText(message, 300)}`)
  return new DrydockError('bad_usage', problems.join('; '), { todo })
}

function unreadable(message: string): DrydockError {
  return new DrydockError('bad_usage', `The request cannot be read: ${message}`, { todo })
}

function tooLarge(bytes: number): DrydockError {
  return new DrydockError('bad_usage', `The body has more than ${bytes} bytes.`, {
    todo: 'Make it shorter.',
  })
}

function providerOf({ provider }: Access): NonNullable<Access['provider']> {
  if (provider !== null) return provider
  throw new DrydockError('not_found', 'Nobody signs in here with an OpenID provider.', {
    todo: 'Sign in with a personal token, or configure hub.oidc: docs/hub.md',
  })
}

function noRoute({ req }: Context): DrydockError {
  return new DrydockError('not_found', `There is no ${req.method} ${req.path}.`, { todo })
}
