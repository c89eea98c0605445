import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createExchange } from '../../src/adapters/hub/exchange.ts'
import { createHubDoor } from '../../src/adapters/hub-door/hub-door.ts'
import { hubOrigin } from '../../src/app/hub/at-hub.ts'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'

interface Answer {
  readonly status: number
  readonly body: object
}

const standby: Answer = {
  status: 503,
  body: { code: 'hub_standby', message: 'This hub is on standby.', todo: 'Ask the active hub.' },
}

/** An address whose answer the test decides for each request. */
async function place(now: () => Answer) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { status, body } = now()
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

const exchangeAt = (...urls: readonly string[]) => createExchange({ url: urls.join(','), token: 'token', env: {} })

test('among several addresses a client finds the active hub, and stays there', async () => {
  const [dead, other] = [await deadUrl(), await place(() => standby)]
  const active = await place(() => ({ status: 200, body: { ok: true } }))
  const exchange = exchangeAt(dead, other.url, active.url)
  expect(await exchange.ask({ method: 'GET', path: '/api/hub' })).toEqual({ ok: true })
  expect(exchange.at()).toBe(active.url)
  await exchange.ask({ method: 'GET', path: '/api/runs' })
  expect([other.asked.length, active.asked]).toEqual([1, ['GET /api/hub', 'GET /api/runs']])
})

test('a client goes over to the hub that takes over, and sends a command with the same key', async () => {
  let isOver = false
  const ok = { status: 202, body: { run: 'run' } }
  const first = await place(() => (isOver ? standby : ok))
  const second = await place(() => (isOver ? ok : standby))
  const exchange = exchangeAt(first.url, second.url)
  const act = () => exchange.ask({ method: 'POST', path: '/api/runs/run/pause', body: '{}', key: '12345678' })
  await act()
  isOver = true
  expect(await act()).toEqual({ run: 'run' })
  expect([exchange.at(), second.asked]).toEqual([second.url, ['POST /api/runs/run/pause']])
})

test('a client that finds no active hub says why at once', async () => {
  const places = [await place(() => standby), await place(() => standby)]
  const exchange = exchangeAt(...places.map(({ url }) => url))
  await expect(exchange.ask({ method: 'GET', path: '/api/hub' })).rejects.toMatchObject({
    code: 'hub_unreachable',
    message: expect.stringContaining('This hub is on standby.'),
  })
  expect(places.map(({ asked }) => asked.length)).toEqual([1, 1])
})

test('a worker goes by the hub that is active, and hears from it alone that its token is not good any more', async () => {
  const shared = {
    protocol: workerProtocol,
    version: '1',
    token: 'big',
    repository: '/srv/project',
    git: '/git',
    slots: {},
    state: { id: '00000000-0000-4000-8000-000000000000', schema: 'drydock_project_0123456789ab' },
    commits: { author: null, trailers: [] },
    notifying: { notifiers: [], on: [] },
  }
  let active: Answer = { status: 200, body: shared }
  const [dead, other] = [await deadUrl(), await place(() => standby)]
  const here = await place(() => active)
  const door = createHubDoor({ url: [dead, other.url, here.url].join(','), token: 'token' })
  expect(await door.sharedState()).toMatchObject({ repository: '/srv/project' })
  expect(door.urls()).toEqual([here.url, dead, other.url])
  active = { status: 401, body: { code: 'not_signed_in', message: 'It was revoked.', todo: 'Ask.' } }
  await expect(door.sharedState()).rejects.toMatchObject({ code: 'hub_refused' })
  active = standby
  await expect(door.sharedState()).rejects.toMatchObject({ code: 'hub_unreachable' })
})

test('several addresses are written with commas, and each of them has to be one', () => {
  expect(hubOrigin('https://a.example/, https://b.example:4517,https://a.example')).toBe(
    'https://a.example,https://b.example:4517',
  )
  for (const given of ['https://a.example,', 'https://a.example,http://b.example', ',', 'https://a.example;https://b'])
    expect(() => hubOrigin(given)).toThrow('cannot be the address of a hub')
})
