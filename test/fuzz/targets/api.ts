import fc from 'fast-check'
import { expect } from 'vitest'
import { apiErrorSchema } from '../../../src/api/api-error.ts'
import type { Route } from '../../../src/api/route.ts'
import { type RouteName, routes } from '../../../src/api/routes.ts'
import { alwaysGreen, greenStory, specLanes } from '../../scenarios/world/crew.ts'
import { run, storeCrewIn } from '../../scenarios/world/stored-crew.ts'
import { type Page, signIn } from '../../server/browser.ts'
import { createMemoryWorld } from '../../server/memory-server.ts'
import { expectClearError } from '../clear-error.ts'
import { damaged, nasty, nastyJson } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

interface Input {
  readonly route: RouteName
  /** Values for the names in its path, in order. */
  readonly at: readonly string[]
  readonly query: readonly (readonly [string, string])[]
  /** Text of the body; null without one. */
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
}

const bodies: Partial<Record<RouteName, object>> = {
  openSession: { token: 'a.b' },
  startRun: { spec: '', review_stories: false, again: true, models: { default: 'replay:x' }, budget_usd: 0 },
  startTask: { task: '', constraints: [], files: ['a'], dry_run: true, target: 'main' },
  cancel: {},
  pause: {},
  resume: {},
  retry: { story: 'one', guidance: 'again' },
  budget: { run_usd: 1, story_usd: 0, run_tokens: 5 },
  post: { story: null, text: 'hello' },
  reply: { text: 'yes' },
  accept: { findings: ['g-00000000'] },
  freshToken: { key: 'x' },
}
/** All routes except the one that ends the session, after which all others would fail. */
const names = (Object.keys(routes) as RouteName[]).filter((name) => name !== 'endSessions')
const known = fc.constantFrom(run, 'one', 'run_20310101_000000_aaaaaa', '1', '0', 'x')
const query = fc.tuple(
  fc.constantFrom('after', 'before', 'limit', 'story', 'step', 'token', 'x'),
  fc.oneof(fc.constantFrom('1', '0', '-1', '999999999999999999999', '1.5', 'combined', '../../x', 'NaN'), nasty),
)
const text = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

const parts = {
  at: fc.array(fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: nasty }), {
    minLength: 2,
    maxLength: 2,
  }),
  query: fc.array(query, { maxLength: 3 }),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    {},
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=x' },
    { 'content-encoding': 'gzip' },
    { accept: 'x' },
  ),
}

const inputs: fc.Arbitrary<Input> = fc.oneof(
  ...names.map((route) =>
    fc.record({
      ...parts,
      route: fc.constant(route),
      body: routes[route].method === 'get' ? fc.constant(null) : bodyOf(bodies[route] ?? {}),
    }),
  ),
)

function bodyOf(sample: object): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: damaged(fc.constant(sample)).map(text) },
    { weight: 1, arbitrary: nastyJson.map(text) },
    { weight: 1, arbitrary: nasty },
  )
}

/** Any request of a browser with a session: it is answered, or its fault is reported. */
export const api: FuzzTarget<Input> = {
  name: 'api',
  async open() {
    const world = await createMemoryWorld({ steps: [alwaysGreen] })
    await storeCrewIn(world.fixture, { ...specLanes('one'), ...greenStory('one') })
    const built = await world.fixture.drydock('resume', '--json', '--no-wait')
    if (built.exitCode !== 0) throw new Error(`nothing was built: ${built.stderr}`)
    const { link } = await world.serve({ overSocket: true })
    const page = await signIn(link)
    return { inputs, check: (input) => ask(page, input), close: () => world.close() }
  },
}

async function ask(page: Page, { route, at, query: asked, body, headers }: Input): Promise<void> {
  const { method, path }: Route = routes[route]
  const values = at.values()
  const named = path.replaceAll(/:\w+/g, () => encodeURIComponent((values.next().value ?? '').toWellFormed()))
  const search = new URLSearchParams(asked.map(([key, value]): [string, string] => [key, value])).toString()
  const origin = `http://127.0.0.1:${page.port}`
  const response = await fetch(`${origin}${named}${search && `?${search}`}`, {
    method: method.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...(body === null ? page.headers : await page.acting()),
      ...headers,
    },
    ...(body !== null && { body: Buffer.from(body) }),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return
  }
  const said = await response.text()
  expect({ status: response.status, said: response.status < 500 ? '' : said }).toEqual({
    status: response.status,
    said: '',
  })
  if (response.status < 400 || !/^\/(?:api|session)/.test(new URL(response.url).pathname)) return
  const error = apiErrorSchema.parse(JSON.parse(said))
  for (const sentence of [error.message, error.todo]) expectClearError(sentence)
}
