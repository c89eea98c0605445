import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { routes } from '../../api/routes.ts'
import type { DashboardAnswers } from '../../server/http/answers.ts'
import type { Dashboard } from '../../server/http/serve-dashboard.ts'
import { type Answer, type Asking, askDashboard, exchangeOf, signIn, tokenOf } from '../ask-dashboard.ts'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'

/** A dashboard that is really served, and a browser that has a session. */
interface Served extends Dashboard {
  readonly port: number
  readonly cookie: string
  /** What the browser was told to keep. */
  readonly setCookie: string
  /** Commands that came through. */
  readonly commands: readonly string[]
  ask(path: string, asking?: Asking): Promise<Answer>
}

const everyRoute = Object.values(routes).map(({ method, path }) => ({
  method: method.toUpperCase(),
  path: path.replaceAll(/:\w+/g, 'x'),
}))
const html = '<img src=x onerror=alert(1)>'

async function serve(range: Range): Promise<Served> {
  const { drydock } = await range.newTarget()
  const start = { kind: 'start', run: 'planted-000000', target: null, configFile: null, models: null } as const
  const task = { text: html, constraints: [], non_goals: [], files: [] }
  await drydock.submit('start', { ...start, request: { kind: 'task', task, dryRun: false, apply: false } })
  const commands: string[] = []
  const command = (name: string | symbol) => async () => {
    commands.push(String(name))
    return { run: 'x', handed: 'recorded' }
  }
  const answers = new Proxy({}, { get: (_, name) => command(name) }) as DashboardAnswers
  const dashboard = await drydock.serveDashboard({ answers, version: '0', port: 0, onError: () => {} })
  const { port, cookie, setCookie } = await signIn(dashboard)
  const ask = (path: string, asking?: Asking) => askDashboard(port, path, asking)
  return { ...dashboard, port, cookie, setCookie, commands, ask }
}

/** As the dashboard itself asks. */
const ownHeaders = ({ cookie, url }: Served) => ({ Cookie: cookie, Origin: url, 'Content-Type': 'application/json' })

interface Forgery {
  readonly name: string
  readonly expected: string
  readonly writesOnly?: boolean
  /** Headers of each try, over those of the dashboard itself; an empty one is left out. */
  readonly headers?: (served: Served) => readonly Readonly<Record<string, string>>[]
  readonly query?: (served: Served) => string
}

/** The same at every route: what all have answered, and whether a command came through. */
const atEveryRoute = ({
  name,
  expected,
  writesOnly = false,
  headers = () => [{}],
  query = () => '',
}: Forgery): Attack =>
  onServed({ name, expected: `${expected} at every route; no command came through` }, async (served) => {
    const codes = new Set<string>()
    for (const { method, path } of everyRoute.filter((route) => !writesOnly || route.method === 'POST')) {
      for (const forged of headers(served)) {
        const sent = Object.entries({ ...ownHeaders(served), ...forged }).filter(([, value]) => value !== '')
        const { status } = await served.ask(`${path}${query(served)}`, {
          ...{ method, headers: Object.fromEntries(sent), body: method === 'POST' ? '{}' : '' },
        })
        codes.add(`${status}`)
      }
    }
    return `${[...codes].join(', ')} at every route; ${served.commands.length === 0 ? 'no' : 'a'} command came through`
  })

function onServed(
  { name, expected }: Pick<Attack, 'name' | 'expected'>,
  run: (served: Served) => Promise<string>,
): Attack {
  return {
    ...{ row: 'dashboard', name, expected },
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

/** Whether somebody listens at the port under another address. */
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

const cookie = onServed(
  { name: 'a script of the page, or another site, uses the cookie', expected: 'HttpOnly, SameSite=Strict' },
  async ({ setCookie }) =>
    ['HttpOnly', 'SameSite=Strict'].filter((flag) => setCookie.split('; ').includes(flag)).join(', '),
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
      const { headers } = await served.ask(path, { headers: ownHeaders(served) })
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
    const api = await served.ask('/api/openapi.json', { headers: ownHeaders(served) })
    const runs = await served.ask('/api/runs', { headers: ownHeaders(served) })
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
    name: 'a page of another site asks with the browser’s cookie',
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
        ...{ Host, Origin: `http://${Host}` },
      })),
  }),
  atEveryRoute({
    name: 'a command comes without an Origin',
    expected: '403',
    writesOnly: true,
    headers: () => [{ Origin: '' }],
  }),
  atEveryRoute({
    name: 'a command comes as a form, which any page can send',
    expected: '400',
    writesOnly: true,
    headers: () => ['text/plain', 'application/x-www-form-urlencoded', ''].map((type) => ({ 'Content-Type': type })),
  }),
  atEveryRoute({
    name: 'a token is in the address, which is logged',
    expected: '400',
    query: (served) => `?token=${tokenOf(served)}`,
  }),
  noSession(),
  otherAddresses,
  usedLink,
  cookie,
  policy,
  markup,
  files,
]

/** All but the exchange of a link, which needs none. */
function noSession(): Attack {
  return onServed(
    { name: 'somebody asks without a session, or with a made-up one', expected: '401 at every route' },
    async (served) => {
      const codes = new Set<number>()
      for (const { method, path } of everyRoute.filter((route) => route.path !== '/session')) {
        for (const Cookie of ['', 'drydock_000000000000=1.2', served.cookie.replace(/.$/, ''), `x${served.cookie}`]) {
          const asking = { method, headers: { ...ownHeaders(served), Cookie }, body: method === 'POST' ? '{}' : '' }
          codes.add((await served.ask(path, asking)).status)
        }
      }
      return `${[...codes].join(', ')} at every route`
    },
  )
}
