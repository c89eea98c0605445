import { expect, test } from 'vitest'
import { emptyRecords } from '../../src/adapters/store/empty-records.ts'
import { bareHub, codeOf } from './bare-hub.ts'
import { ask } from './browser.ts'

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

test('a hub tells anybody that it lives, and in words alone whether it is ready', async () => {
  let owner: { readonly gone: () => void } | null = null
  let isBroken = false
  const hub = await bareHub({
    openRecords: () => ({
      ...emptyRecords,
      lastEvent: async () => (isBroken ? Promise.reject(new Error('postgres://me:secret@db is gone')) : 7),
    }),
    async connect(on) {
      owner = on
      return { look: () => {}, close: () => {} }
    },
    now: () => new Date(now),
  })
  let now = Date.now()
  const elsewhere = { headers: { Host: 'probe.example' } }
  const ready = async () => {
    now += 1_001
    const { status, body } = await ask(hub.port, '/health/ready', elsewhere)
    return `${status} ${body}`
  }
  expect((await ask(hub.port, '/health/live', elsewhere)).body).toBe('{"status":"live"}')
  expect(await ready()).toBe('200 {"status":"ready","checks":{"store":"ok","owner":"ok","disk":"ok"}}')
  isBroken = true
  expect(await ready()).toBe('503 {"status":"not_ready","checks":{"store":"failed","owner":"ok","disk":"ok"}}')
  expect((await ask(hub.port, '/health/live', elsewhere)).status).toBe(200)
  isBroken = false
  expect(owner).not.toBeNull()
  expect(codeOf(await ask(hub.port, '/health/other', elsewhere))).toBe('403 foreign_request')
  expect(codeOf(await ask(hub.port, '/api/runs', elsewhere))).toBe('403 foreign_request')
})

test('nobody works on the state: a hub is not ready', async () => {
  const hub = await bareHub()
  const { status, body } = await ask(hub.port, '/health/ready')
  expect([status, JSON.parse(body).checks.owner]).toEqual([503, 'failed'])
})

test('a hub on standby says so of itself, and refuses what is asked of it with the name of the active one', async () => {
  let standby: { readonly active: string } | null = { active: 'https://active.example' }
  let now = Date.now()
  const hub = await bareHub({
    standby: async () => standby,
    now: () => new Date(now),
    openRecords: () => ({ ...emptyRecords, lastEvent: async () => 7 }),
    connect: async () => ({ look: () => {}, close: () => {} }),
  })
  const headers = { ...bearer(await hub.token('ada', 'operator')), 'Content-Type': 'application/json' }
  const ready = async () => {
    now += 1_001
    const { status, body } = await ask(hub.port, '/health/ready')
    return [status, JSON.parse(body).status]
  }
  const act = () => ask(hub.port, '/api/runs/run/pause', { method: 'POST', headers, body: '{}' })
  expect(await ready()).toEqual([503, 'standby'])
  const refused = await act()
  expect([codeOf(refused), hub.commands]).toEqual(['503 hub_standby', []])
  expect(refused.body).toContain('Another one is active: https://active.example.')
  expect(codeOf(await ask(hub.port, '/api/runs', { headers }))).toBe('503 hub_standby')
  const git = await ask(hub.port, '/git/info/refs?service=git-upload-pack', { headers })
  expect(git.status).toBe(503)
  // A stranger does not learn the address.
  const stranger = await ask(hub.port, '/git/info/refs?service=git-upload-pack')
  expect([stranger.status, stranger.body.includes('active.example')]).toEqual([503, false])
  expect(codeOf(await ask(hub.port, '/api/runs'))).toBe('401 not_signed_in')
  const monitor = bearer(await hub.token('watch', 'monitor'))
  expect((await ask(hub.port, '/api/metrics', { headers: monitor })).status).not.toBe(503)
  expect((await ask(hub.port, '/')).status).toBe(200)
  standby = null
  expect(await ready()).toEqual([200, 'ready'])
  expect((await act()).status).toBe(202)
  expect(hub.commands).toHaveLength(1)
})

test('figures are for a token with the role monitor, which is good for nothing else', async () => {
  const hub = await bareHub({
    openRecords: () => ({
      ...emptyRecords,
      workload: async () => ({
        machines: [{ kind: 'run', state: 'CODING', count: 2 }],
        steps: [{ kind: 'lane', count: 3, first: new Date(Date.now() - 5_000).toISOString() }],
        calls: [
          {
            model: 'anthropic:x',
            agent: 'editor',
            count: 5,
            failed: 1,
            inputTokens: 10,
            outputTokens: 2,
            microUsd: 1_500_000,
          },
        ],
      }),
    }),
  })
  const token = await hub.token('prometheus', 'monitor')
  expect(codeOf(await ask(hub.port, '/api/metrics'))).toBe('401 not_signed_in')
  expect(codeOf(await ask(hub.port, '/api/runs', { headers: bearer(token) }))).toBe('403 not_allowed')
  const { status, headers, body } = await ask(hub.port, '/api/metrics', { headers: bearer(token) })
  expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')])
  for (const line of [
    'drydock_info{version="0"} 1',
    'drydock_owned 0',
    'drydock_machines{kind="run",state="CODING"} 2',
    'drydock_steps_queued{kind="lane"} 3',
    'drydock_model_calls_total{model="anthropic:x",agent="editor",result="answered"} 4',
    'drydock_model_calls_total{model="anthropic:x",agent="editor",result="failed"} 1',
    'drydock_model_cost_usd_total{model="anthropic:x",agent="editor"} 1.5',
    'drydock_http_answers_total{status="403"} 1',
  ])
    expect(body.split('\n')).toContain(line)
  expect(body).toMatch(/^drydock_step_wait_seconds\{kind="lane"\} [5-9]/m)
  expect(body).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(body).not.toContain(token)
})
