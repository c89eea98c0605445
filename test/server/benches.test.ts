import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Bench, BenchAttemptDetail, BenchList } from '../../src/api/benches.ts'
import { type RouteName, routes } from '../../src/api/routes.ts'
import { processMark } from '../../src/processes/process-mark.ts'
import { plantBench, plantedRecord } from '../scenarios/world/planted-bench.ts'
import { bareHub } from './bare-hub.ts'
import { ask } from './browser.ts'
import { type MemoryServer, servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

const key = 'sk-planted-0123456789abcdef'
let served: MemoryServer
let world: Awaited<ReturnType<typeof createMemoryWorld>>

const wanted = (task: string, repeat: number) => ({
  ...({ task, arm: 'task', acceptance: null, repeat, play: null, expected: null } as const),
})

const env = () => ({ HOME: world.fixture.folder, DRYDOCK_HOME: world.fixture.folder })

/** One bench that a killed process has left, and one whose process is this one. */
beforeAll(async () => {
  world = await createMemoryWorld({ env: { ANTHROPIC_API_KEY: key } })
  const attempts = [wanted('a', 1), wanted('a', 2), wanted('b', 1)]
  const gone = { ...processMark(), began: '1' }
  await plantBench(env(), join(world.fixture.folder, 'left'), {
    plan: { started_at: '2026-01-01T00:00:00.000Z', attempts, process: gone },
    records: [
      plantedRecord(),
      plantedRecord({ repeat: 2, verdict: 'false_pass', cost_usd: null }),
      // Belongs to an earlier command line with more tasks.
      plantedRecord({ task: 'z', verdict: 'blocked' }),
    ],
    files: {
      'patches/a.task.1.patch': `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${key}\n`,
      'events/a.task.1.jsonl': `{"type":"run","id":1,"run":"r","story":null,"at":"t","kind":"task"}\n{"type":"tool","at":"t","text":"${key}"}\n{"half`,
      'secret.patch': 'of nobody',
    },
  })
  const going = join(world.fixture.folder, 'going')
  await plantBench(env(), going, {
    plan: { started_at: '2026-01-02T00:00:00.000Z', attempts, process: processMark() },
    records: [plantedRecord(), plantedRecord({ repeat: 2, verdict: 'error', error: 'no network' })],
  })
  // The attempt without a measurement is tried again.
  await mkdir(join(going, 'work', 'a.task.2-0123abcd'), { recursive: true })
  await writeFile(join(going, 'attempts', 'b.task.1.json'), '{"half')
  served = await servedOf(world)
})
afterAll(() => served.close())

async function get<T>(name: RouteName, path: string): Promise<T> {
  const answer = await served.page.get<T>(path)
  expect(routes[name].answer?.parse(answer)).toEqual(answer)
  return answer
}

test('benches are listed newest first: one that goes, and one whose process is gone though its id is given again', async () => {
  const { benches } = await get<BenchList>('benches', '/api/benches')
  expect(benches).toMatchObject([
    { state: 'going', ended_at: null, planned: 3, finished: 1, verdicts: { resolved: 1, error: 0 }, cost_usd: 0.5 },
    {
      state: 'stopped',
      planned: 3,
      finished: 2,
      cost_usd: null,
      tokens: 2_000,
      unexpected: null,
      verdicts: { resolved: 1, false_pass: 1, false_block: 0, blocked: 0, error: 0 },
    },
  ])
})

test('a bench has its attempts in order: ended, running, waiting', async () => {
  const { benches } = await served.page.get<BenchList>('/api/benches')
  const going = await get<Bench>('bench', `/api/benches/${benches[0]?.id}`)
  expect(going.attempts).toMatchObject([
    { name: 'a.task.1', state: 'finished', result: { verdict: 'resolved' } },
    { name: 'a.task.2', state: 'working', since: expect.any(String), result: null },
    { name: 'b.task.1', state: 'waiting', result: null },
  ])
  const { arms } = await get<Bench>('bench', `/api/benches/${benches[1]?.id}`)
  expect(arms).toMatchObject([{ arm: 'task', attempts: 2, resolved: { hits: 1, of: 2 }, cost_usd: null }])
})

test('an attempt has its hidden tests, its change and its events, without the keys of the user', async () => {
  const { benches } = await served.page.get<BenchList>('/api/benches')
  const path = `/api/benches/${benches[1]?.id}/attempts`
  const attempt = await get<BenchAttemptDetail>('benchAttempt', `${path}/a.task.1`)
  expect(attempt).toMatchObject({
    hidden: [{ command: 'npm test', status: 'PASS', tail: 'ok' }],
    patch: { text: expect.stringContaining('-old\n+'), truncated: false },
    events: [{ type: 'tool' }, { type: 'run', story: null, data: { kind: 'task' } }],
    older_events: false,
  })
  expect(JSON.stringify(attempt)).not.toContain(key)
  for (const name of ['z.task.1', '..%2Fsecret', 'a.task.9']) {
    const { status } = await ask(served.port, `${path}/${name}`, { headers: served.page.headers })
    expect([name, status]).toEqual([name, 404])
  }
  expect((await ask(served.port, '/api/benches/..', { headers: served.page.headers })).status).toBe(404)
})

test('the attempts of a bench can be had as a file', async () => {
  const { benches } = await served.page.get<BenchList>('/api/benches')
  const file = await served.page.get(`/api/download?list=attempts&bench=${benches[1]?.id}`)
  expect(file).toMatchObject({ list: 'attempts', items: [{ name: 'a.task.1' }, {}, { state: 'waiting' }] })
  expect(await served.page.get('/api/download?list=benches')).toMatchObject({ items: [{}, {}] })
  const unsaid = await ask(served.port, '/api/download?list=attempts', { headers: served.page.headers })
  expect([unsaid.status, unsaid.body]).toEqual([400, expect.stringContaining('Add: &bench=<id>')])
})

test('attempts with and without acceptance tests are shown apart, and those that an older version has left', async () => {
  const both = (['with', 'without'] as const).map((acceptance) => ({ ...wanted('a', 1), acceptance }))
  const { acceptance: _, ...old } = wanted('a', 2)
  const { acceptance: _none, held_by_acceptance: _unsaid, ...oldRecord } = plantedRecord({ repeat: 2 })
  await plantBench(env(), join(world.fixture.folder, 'pair'), {
    plan: { started_at: '2025-01-01T00:00:00.000Z', attempts: both, process: null },
    records: [
      plantedRecord({ acceptance: 'with', verdict: 'false_block', delivered: false, held_by_acceptance: true }),
      plantedRecord({ acceptance: 'without', verdict: 'false_pass' }),
    ],
    files: {
      'plan.json': JSON.stringify({ started_at: '2025-01-01T00:00:00.000Z', attempts: [...both, old], process: null }),
      'attempts/a.task.2.json': JSON.stringify(oldRecord),
    },
  })
  const { benches } = await served.page.get<BenchList>('/api/benches')
  const { arms, attempts } = await get<Bench>('bench', `/api/benches/${benches.at(-1)?.id}`)
  const gap = (hits: number) => ({ hits, of: 1 })
  expect(arms).toMatchObject([
    { arm: 'task', acceptance: null, visible_hidden_gap: gap(0), acceptance_false_block: null },
    { arm: 'task', acceptance: 'with', visible_hidden_gap: null, acceptance_false_block: gap(1) },
    { arm: 'task', acceptance: 'without', visible_hidden_gap: gap(1), acceptance_false_block: null },
  ])
  expect(attempts).toMatchObject([
    { name: 'a.task-with-acceptance.1', acceptance: 'with', result: { held_by_acceptance: true } },
    { name: 'a.task-without-acceptance.1', acceptance: 'without', result: { held_by_acceptance: null } },
    { name: 'a.task.2', acceptance: null, result: { verdict: 'resolved', held_by_acceptance: null } },
  ])
})

test('a hub shows no bench', async () => {
  const hub = await bareHub()
  const headers = { Authorization: `Bearer ${await hub.token('ada', 'admin')}` }
  for (const path of ['/api/benches', '/api/download?list=benches']) {
    const asked = await ask(hub.port, path, { headers })
    expect([asked.status, asked.body]).toEqual([404, expect.stringContaining('A hub shows no runs of drydock bench.')])
  }
})
