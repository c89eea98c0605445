import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Route } from '../../api/route.ts'
import { routes } from '../../api/routes.ts'
import { tokenHeader } from '../../api/session.ts'
import type { Acts } from '../../app/operations/operations.ts'
import { serveDashboard } from '../../compose.ts'
import type { Dashboard } from '../../server/http/serve-dashboard.ts'
import { type Answer, type Asking, askDashboard, exchangeOf, type Session, signIn, tokenOf } from '../ask-dashboard.ts'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'

/** A running dashboard, and a browser with a session. */
interface ServedDashboard extends Dashboard, Session {
  /** Commands that got through. */
  readonly commands: readonly string[]
  ask(path: string, asking?: Asking): Promise<Answer>
}

const everyRoute = Object.values<Route>(routes).map(({ method, path, needs, role }) => ({
  method: method.toUpperCase(),
  path: path.replaceAll(/:\w+/g, 'x'),
  needs,
  role,
}))
const writes = everyRoute.filter(({ method }) => method === 'POST')
/** The routes that act for a human. */
const commands = writes.filter(({ needs, role }) => needs === undefined && role !== 'anyone')
const html = '<img src=x onerror=alert(1)>'

async function serve(range: Range): Promise<ServedDashboard> {
  // Signing out ends all sessions of an installation, so each attack uses its own installation.
  const { drydock } = await range.newTarget({ env: { DRYDOCK_HOME: await range.newFolder() } })
  const start = { kind: 'start', run: 'planted-000000', target: null, configFile: null, models: null } as const
  const task = { text: html, constraints: [], non_goals: [], files: [] }
  await drydock.submit('start', { ...start, request: { kind: 'task', task, dryRun: false, apply: false } })
  const commands: string[] = []
  const command = (name: string | symbol) => async () => {
    commands.push(String(name))
    return { run: 'x', handed: 'recorded' }
  }
  const planted = new Proxy({}, { get: (_, name) => command(name) }) as Acts
  const dashboard = await serveDashboard(drydock, { acts: planted, options: {}, port: 0, onError: () => {} })
  const session = await signIn(dashboard)
  const ask = (path: string, asking?: Asking) => askDashboard(session.port, path, asking)
  return { ...dashboard, ...session, commands, ask }
}

interface Forgery {
  readonly name: string
  readonly expected: string
  /** The routes to try; all of them if left out. */
  readonly at?: typeof everyRoute
  /** Headers of each attempt, which override the dashboard's own; an empty one is removed. */
  readonly headers?: (served: ServedDashboard) => readonly Readonly<Record<string, string>>[]
  readonly query?: (served: ServedDashboard) => string
}

/** Repeats an attack at every route: collects the statuses, and checks if a command got through. */
const atEveryRoute = ({ name, expected, at = everyRoute, headers = () => [{}], query = () => '' }: Forgery): Attack =>
  onServed({ name, expected: `${expected} at every route; no command came through` }, async (served) => {
    const codes = new Set<string>()
    for (const { method, path } of at) {
      for (const forged of headers(served)) {
        const sent = Object.entries({ ...served.headers, ...forged }).filter(([, value]) => value !== '')
        const { status } = await served.ask(`${path}${query(served)}`, {
          method,
          headers: Object.fromEntries(sent),
          body: method === 'POST' ? '{}' : '',
        })
        codes.add(`${status}`)
      }
    }
    return `${[...codes].join(', ')} at every route; ${served.commands.length === 0 ? 'no' : 'a'} command came through`
  })

function onServed(
  { name, expected }: Pick<Attack, 'name' | 'expected'>,
  run: (served: ServedDashboard) => Promise<string>,
): Attack {
  return {
    row: 'dashboard',
    name,
    expected,
    async run(range) {
      const served = await serve(range)
      try {
        return await run(served)
      } finally {
        await served.close()
      }
    },
  }
}

/** True if a server listens at the port on another address. */
function reaches(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 })
    const end = (reached: boolean) => {
      socket.destroy()
      resolve(reached)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
}

const otherAddresses = onServed(
  { name: 'somebody asks from the network, or at another loopback address', expected: 'reached at none' },
  async ({ port }) => {
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all.filter(({ internal }) => !internal))
    const addresses = [...own.map(({ address }) => address), '127.0.0.2', '::1']
    const reached = await Promise.all(addresses.map((address) => reaches(port, address)))
    return `reached at ${addresses.filter((_, i) => reached[i]).join(', ') || 'none'}`
  },
)

const usedLink = onServed(
  { name: 'a link is used a second time, or its token is guessed', expected: '401, 401, 401' },
  async (served) => {
    const asking = exchangeOf(served)
    const guesses = [asking.body, '{"token":"x.y"}', JSON.stringify({ token: `${tokenOf(served).slice(0, -2)}AA` })]
    const answers = await Promise.all(guesses.map((body = '') => served.ask('/session', { ...asking, body })))
    return answers.map(({ status }) => status).join(', ')
  },
)

const neighbour = onServed(
  {
    name: 'another web server of this machine uses what a browser sends to every port',
    expected: 'no cookie was ever set; 401 with none',
  },
  async (served) => {
    const reads = everyRoute.filter(({ method }) => method === 'GET').map(({ path }) => path)
    const answers = await Promise.all(['/', ...reads].map((path) => served.ask(path, { headers: served.headers })))
    const set = answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])
    const headers = { Origin: served.url, Cookie: set.map((one) => one.split(';')[0]).join('; ') }
    const { status } = await served.ask('/api/runs', { headers })
    return `${set.length === 0 ? 'no cookie was ever set' : set.join()}; ${status} with ${set.length || 'none'}`
  },
)

const afterSigningOut = onServed(
  { name: 'a copy of a session is used after signing out', expected: '200 before, 401 after' },
  async (served) => {
    const use = () => served.ask('/api/runs', { headers: served.headers })
    const before = await use()
    await served.ask('/api/session/end', { method: 'POST', headers: served.headers, body: '{}' })
    return `${before.status} before, ${(await use()).status} after`
  },
)

const policy = onServed(
  {
    name: 'a page loads or runs something from elsewhere, or is shown in a frame',
    expected: 'forbidden on every page',
  },
  async (served) => {
    const wanted = [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
    const lacking: string[] = []
    for (const path of ['/', '/board', '/api/runs', '/api/nothing', '/nothing.js']) {
      const { headers } = await served.ask(path, { headers: served.headers })
      const said = String(headers['content-security-policy']).split('; ')
      if (!wanted.every((rule) => said.includes(rule)) || /unsafe|\*/.test(said.join())) lacking.push(path)
      if (Object.keys(headers).some((name) => name.startsWith('access-control'))) lacking.push(`${path} (CORS)`)
    }
    return lacking.length === 0 ? 'forbidden on every page' : `allowed on ${lacking.join(', ')}`
  },
)

const markup = onServed(
  {
    name: 'a task’s text is HTML with a script',
    expected: 'in JSON that no browser takes for a page; on no page',
  },
  async (served) => {
    const api = await served.ask('/api/openapi.json', { headers: served.headers })
    const runs = await served.ask('/api/runs', { headers: served.headers })
    const asJson = [api, runs].every(
      ({ headers }) =>
        String(headers['content-type']).startsWith('application/json') &&
        headers['x-content-type-options'] === 'nosniff',
    )
    const pages = await Promise.all(
      ['/', '/runs/planted-000000', `/${encodeURIComponent(html)}`].map((path) => served.ask(path)),
    )
    const onPage = pages.some(({ body }) => body.includes(html))
    return `${asJson ? 'in JSON that no browser takes for a page' : 'not in JSON'}; on ${onPage ? 'a' : 'no'} page`
  },
)

const files = onServed(
  { name: 'a path leads out of the folder that is served', expected: 'nothing of the machine' },
  async (served) => {
    const paths = [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/package.json',
      '/..%5c..%5cpackage.json',
    ]
    const outside = ['/etc/passwd', '/%2fetc%2fpasswd', '/assets/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd']
    const answers = await Promise.all([...paths, ...outside].map((path) => served.ask(path)))
    const leaked = answers.filter(({ body }) => body.includes('root:') || body.includes('"dependencies"'))
    return leaked.length === 0 ? 'nothing of the machine' : `${leaked.length} files of the machine`
  },
)

export const dashboardAttacks: readonly Attack[] = [
  atEveryRoute({
    name: 'a page of another site asks with the browser’s session',
    expected: '403',
    headers: ({ port }) =>
      ['http://evil.example', 'null', `http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`].map((Origin) => ({
        Origin,
      })),
  }),
  atEveryRoute({
    name: 'a name that was pointed at this machine is used (DNS rebinding)',
    expected: '403',
    headers: ({ port }) =>
      [`evil.example:${port}`, '127.0.0.1', `0.0.0.0:${port}`, `127.0.0.1:${port + 1}`].map((Host) => ({
        Host,
        Origin: `http://${Host}`,
      })),
  }),
  atEveryRoute({
    name: 'a command comes without an Origin',
    expected: '403',
    at: writes,
    headers: () => [{ Origin: '' }],
  }),
  atEveryRoute({
    name: 'a command comes as a form, which any page can send',
    expected: '400',
    at: writes,
    headers: () => ['text/plain', 'application/x-www-form-urlencoded', ''].map((type) => ({ 'Content-Type': type })),
  }),
  atEveryRoute({
    name: 'a token is in the address, which is logged',
    expected: '400',
    query: (served) => `?token=${tokenOf(served)}`,
  }),
  atEveryRoute({
    name: 'a command comes with a session, but without a token of the last minutes',
    expected: '403',
    at: commands,
    headers: ({ session, headers }) =>
      ['', 'x', session, `9${headers[tokenHeader]}`].map((token) => ({ [tokenHeader]: token })),
  }),
  noSession(),
  otherAddresses,
  usedLink,
  neighbour,
  afterSigningOut,
  policy,
  markup,
  files,
]

/** All routes except those of a sign-in, which need no session. */
function noSession(): Attack {
  return onServed(
    { name: 'somebody asks without a session, or with a made-up one', expected: '401 at every route' },
    async (served) => {
      const codes = new Set<number>()
      for (const { method, path } of everyRoute.filter(({ role }) => role !== 'anyone')) {
        for (const forged of [
          '',
          'Bearer 1.2.3',
          `Bearer ${served.session.slice(0, -1)}`,
          `Bearer 9${served.session}`,
        ]) {
          const headers = { ...served.headers, Authorization: forged, Cookie: `drydock_000000000000=${served.session}` }
          codes.add((await served.ask(path, { method, headers, body: method === 'POST' ? '{}' : '' })).status)
        }
      }
      return `${[...codes].join(', ')} at every route`
    },
  )
}
