import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCommand } from '../../src/adapters/notify/command.ts'
import { createWebhook } from '../../src/adapters/notify/webhook.ts'
import type { Notice } from '../../src/domain/notification/notice.ts'
import type { Notifier } from '../../src/ports/notifier.ts'

/** The receiver's reaction to a notice. */
type Answer = 'takes' | 'fails' | 'hangs'

interface World {
  notifier(answer: Answer, timeoutMs?: number): Promise<Notifier>
  /** A receiver that cannot be reached. */
  missing(): Promise<Notifier>
  heard(): Promise<readonly string[]>
  /** Resolves once a hanging receiver has been notified. */
  hanging(): Promise<void>
  close(): Promise<void>
}

const secret = 'path-that-is-a-key'

async function httpWorld(): Promise<World> {
  const bodies: string[] = []
  const asked = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    if (request.url?.endsWith('hangs')) return asked.resolve()
    response.writeHead(request.url?.endsWith('takes') ? 200 : 503).end('an answer that nobody reads')
  })
  const port = await listen(server)
  return {
    notifier: async (answer, timeoutMs) =>
      createWebhook({ url: `http://127.0.0.1:${port}/${secret}/${answer}`, ...(timeoutMs && { timeoutMs }) }),
    async missing() {
      const gone = createServer()
      const free = await listen(gone)
      await close(gone)
      return createWebhook({ url: `http://127.0.0.1:${free}/${secret}` })
    },
    heard: async () => bodies,
    hanging: () => asked.promise,
    close: () => close(server),
  }
}

async function processWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-notify-'))
  const env = { HOME: folder, PATH: process.env.PATH ?? '' }
  const [heard, told] = [join(folder, 'heard'), join(folder, 'told')]
  const scripts: Readonly<Record<Answer, string>> = {
    takes: `cat >> '${heard}'; echo >> '${heard}'`,
    fails: `cat >> '${heard}'; echo >> '${heard}'; exit 3`,
    hangs: `sleep 600 & echo > '${told}'; wait`,
  }
  return {
    notifier: async (answer, timeoutMs) =>
      createCommand({ argv: ['sh', '-c', scripts[answer], secret], env, ...(timeoutMs && { timeoutMs }) }),
    missing: async () => createCommand({ argv: [join(folder, 'missing')], env }),
    heard: async () => (await readFile(heard, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    async hanging() {
      await expect.poll(() => readFile(told).catch(() => null)).not.toBeNull()
    },
    close: () => rm(folder, { recursive: true }),
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

const notice: Notice = {
  id: 'make-the-files-0a1b2c/7',
  type: 'escalation',
  run: 'make-the-files-0a1b2c',
  story: 'one',
  title: 'Make the files',
  question: 'Which “one”?\n$(touch x) `touch y` "; touch z',
  message: '7',
}

const never = new AbortController().signal
let world: World
afterEach(() => world.close())

const adapters = [
  { name: 'webhook', create: httpWorld },
  { name: 'command', create: processWorld },
] as const

describe.each(adapters)('a notifier ($name)', ({ name, create }) => {
  beforeEach(async () => {
    world = await create()
  })

  test('hands the whole notice over as JSON, and has a name', async () => {
    const notifier = await world.notifier('takes')
    expect(await notifier.deliver(notice, never)).toEqual({ ok: true })
    expect((await world.heard()).map((body) => JSON.parse(body))).toEqual([notice])
    expect(notifier.name).toBe(name)
  })

  test('says that it failed without a word of the notice or of what may be a key, and may be tried again', async () => {
    const delivery = await (await world.notifier('fails')).deliver(notice, never)
    expect(delivery).toEqual({ ok: false, error: expect.stringMatching(/503|exit code 3/), retryable: true })
    expect(JSON.stringify(delivery)).not.toMatch(new RegExp(`${secret}|one|touch`))
  })

  test('is a failure, not an exception, when nobody is there', async () => {
    const missing = await world.missing()
    const delivery = await missing.deliver(notice, never)
    // A server may return; a missing program is a mistake.
    const retryable = name === 'webhook'
    expect(delivery).toEqual({ ok: false, error: expect.stringMatching(/ECONNREFUSED|ENOENT/), retryable })
    expect(JSON.stringify(delivery)).not.toContain(secret)
    expect((await missing.check()).problem).toMatch(/cannot be (reached \(ECONNREFUSED\)|executed)$/)
  })

  test('waits no longer than it may', async () => {
    const hanging = await world.notifier('hangs', 100)
    expect(await hanging.deliver(notice, never)).toEqual({
      ok: false,
      error: expect.stringMatching(/within 0.1 s$/),
      retryable: true,
    })
  })

  test('ends when it is told to, also before it begins', async () => {
    const stop = new AbortController()
    const delivery = (await world.notifier('hangs')).deliver(notice, stop.signal)
    await world.hanging()
    stop.abort()
    expect(await delivery).toMatchObject({ ok: false })
    expect(await (await world.notifier('hangs')).deliver(notice, stop.signal)).toMatchObject({ ok: false })
  })

  test('is looked at without being told anything', async () => {
    const checked = await (await world.notifier('takes')).check()
    expect(checked).toEqual({ found: expect.stringContaining(name), problem: null })
    expect(checked.found).not.toContain(secret)
    expect(await world.heard()).toEqual([])
  })
})

describe('a webhook', () => {
  const seen: IncomingHttpHeaders[] = []
  let server: Server
  let url: string
  const to = (path: string) => createWebhook({ url: `${url}${path}` }).deliver(notice, never)

  beforeEach(async () => {
    seen.length = 0
    server = createServer((request, response) => {
      seen.push(request.headers)
      const status = Number(request.url?.slice(1))
      response.writeHead(status, { location: '/200' }).end()
    })
    url = `http://127.0.0.1:${await listen(server)}`
    world = { ...({} as World), close: () => close(server) }
  })

  test('is posted JSON with the id as its Idempotency-Key, the same in each try', async () => {
    await to('/503')
    await to('/200')
    const sent = { 'idempotency-key': notice.id, 'content-type': 'application/json' }
    expect(seen).toMatchObject([sent, sent])
  })

  test('is not followed to elsewhere', async () => {
    for (const status of [301, 302, 307, 308]) {
      expect(await to(`/${status}`)).toMatchObject({ ok: false, retryable: false })
    }
    expect(seen).toHaveLength(4)
  })

  test('that refuses is not asked again, unless that can pass', async () => {
    for (const status of [400, 401, 404, 410]) expect(await to(`/${status}`)).toMatchObject({ retryable: false })
    for (const status of [408, 429, 500, 503]) expect(await to(`/${status}`)).toMatchObject({ retryable: true })
    expect(await to('/204')).toEqual({ ok: true })
  })
})

describe('a command', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drydock-notify-'))
    world = { ...({} as World), close: () => rm(folder, { recursive: true }) }
  })

  test('gets the notice field by field, and of the environment only what it is given', async () => {
    const env = { HOME: folder, PATH: process.env.PATH ?? '' }
    const argv = ['sh', '-c', 'env -0 > "$1"; pwd > "$2"', 'sh', join(folder, 'env'), join(folder, 'pwd')]
    const story = { ...notice, story: null }
    expect(await createCommand({ argv, env }).deliver(story, never)).toEqual({ ok: true })
    const variables = (await readFile(join(folder, 'env'), 'utf8')).split('\0').filter(Boolean)
    const got = Object.fromEntries(variables.map((each) => [each.split('=')[0], each.slice(each.indexOf('=') + 1)]))
    const { PWD: _, OLDPWD: _old, SHLVL: _level, _: _last, ...others } = got
    expect(others).toEqual({
      ...env,
      DRYDOCK_ID: notice.id,
      DRYDOCK_TYPE: 'escalation',
      DRYDOCK_RUN: notice.run,
      DRYDOCK_STORY: '',
      DRYDOCK_TITLE: notice.title,
      DRYDOCK_QUESTION: notice.question,
      DRYDOCK_MESSAGE: '7',
    })
    // The working folder must not be in a repository.
    expect(await readFile(join(folder, 'pwd'), 'utf8')).toBe('/\n')
  })

  test('does not use a shell: its arguments are literal', async () => {
    const file = join(folder, '$(touch x)')
    await writeFile(file, '')
    const delivery = createCommand({ argv: ['test', '-f', file], env: { HOME: folder, PATH: process.env.PATH ?? '' } })
    expect(await delivery.deliver(notice, never)).toEqual({ ok: true })
  })

  test('that hangs takes everything with it that it has started', async () => {
    const env = { HOME: folder, PATH: process.env.PATH ?? '' }
    const pid = join(folder, 'pid')
    const argv = ['sh', '-c', 'sleep 600 & echo $! > "$1"; wait', 'sh', pid]
    await createCommand({ argv, env, timeoutMs: 3_000 }).deliver(notice, never)
    const left = Number(await readFile(pid, 'utf8'))
    const state = async () => (await readFile(`/proc/${left}/stat`, 'utf8').catch(() => ') X')).split(') ')[1]?.[0]
    await expect.poll(state).toMatch(/[XZ]/)
  })
})
